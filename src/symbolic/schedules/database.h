// SPDX-License-Identifier: Apache-2.0

// The database of a program: a folder with
//
//   program.bc       the prepared module, from which all else was made
//   schedules.json   the cover (schedules/cover.h)
//   journal.jsonl    the runs of the search, one a line; a search that was cut short goes on from it
//   options.json     what the search was asked for; another search must ask for the same to go on
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "smt/expr_context.h"
#include "symbolic/schedules/cover.h"
#include "symbolic/search/search.h"

namespace foretell::symbolic {

inline constexpr int kDatabaseVersion = 3;

std::string cover_json(const Cover& cover);
Result<Cover> read_cover(const std::string& text, const std::string& where,
                         smt::ExprContext& context);

std::string journal_line(const JournalEntry& entry);
Result<std::vector<JournalEntry>> read_journal(const std::string& text, const std::string& where);

}  // namespace foretell::symbolic

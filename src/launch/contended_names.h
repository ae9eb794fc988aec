// SPDX-License-Identifier: Apache-2.0

// Lists of contended memory, on our side of recording/contended.h; and what is remembered of them.
//
// What is contended in one run of a build is mostly all that is contended in the next one. So the names
// are kept, in a file for each build, and the next run records them from its beginning. Names that
// do not fit any more do no harm: they only make more memory recorded.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/diagnostic.h"
#include "launch/program.h"

namespace foretell::launch {

// What a run left in such a file.
struct FoundNames {
  std::set<std::string> names;  // lines of the file
  bool is_all = false;          // nothing was found that was not recorded
  std::string shortfall;        // why it is of no use, in the words of a warning; empty if it is
};

Result<FoundNames> read_found_names(const std::string& path);
Result<void> write_names(const std::set<std::string>& names, const std::string& path);

// `folder` is RunDirectory::remembered(). Nothing is remembered if it is empty. Of a build without
// contended memory it is remembered that there is none.
std::optional<std::set<std::string>> remembered_names(const std::string& folder,
                                                      const BuildId& build);
Result<void> remember_names(const std::string& folder, const BuildId& build,
                            const std::set<std::string>& names);

}  // namespace foretell::launch

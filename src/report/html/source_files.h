// SPDX-License-Identifier: Apache-2.0

// The source text that the HTML report carries: what its events point at, so that the page needs no
// checkout. The user's own files come whole if they are not long; of long ones and of library
// headers only the surroundings of the lines that events stand in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/html/trace_columns.h"

namespace foretell::report::html {

struct SourceOptions {
  std::string directory;  // files below it are named as seen from there
  std::optional<std::filesystem::file_time_type> recorded_at;  // a later change is pointed out
  size_t most_bytes = 4'000'000;
};

// One row per file: path, state ("same", "newer", "missing", "left out"), and pieces, each the
// number of its first line and the text. `important` are sites of findings: their files come first.
Json write_sources(const std::vector<TraceColumns::File>& files,
                   const std::vector<std::string>& important, const SourceOptions& options);

}  // namespace foretell::report::html

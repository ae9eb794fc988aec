// SPDX-License-Identifier: Apache-2.0

// Source positions and the lines they point at, for reports in a compiler's look.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finding/result.h"

namespace foretell::report {

struct SourcePlace {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;  // 0: unknown
};

// "race.cpp:8:15" or "race.cpp:8"; nothing for sites that are no source positions ("345").
std::optional<SourcePlace> parse_place(std::string_view site);

// Line `line` of a file, without its end; nothing if it cannot be read or has no such line.
std::optional<std::string> source_line(const std::string& file, uint32_t line);

// The same for many lines of few files: each file is read once.
class SourceFiles {
 public:
  std::optional<std::string> line(const std::string& file, uint32_t line);

 private:
  std::map<std::string, std::vector<std::string>> lines_;  // by file; none of what is unreadable
};

// The line with its number, and `^~~` under what stands at the column:
//     8 |   acc.balance += n;
//       |               ^~ comment
// The range is `expression` if that is what stands there, else the word or operator. Without a
// column the comment stands under the first character.
std::string snippet(const SourcePlace& place, const std::string& line, std::string_view expression,
                    std::string_view comment, bool utf8 = false);

// Makes what the program under test named printable (base/printable.h).
void make_printable(finding::Finding& finding);

// Names files below `directory` as seen from there, everywhere in the finding or the event.
void shorten_paths(finding::Finding& finding, std::string_view directory);
void shorten_paths(finding::DescribedEvent& event, std::string_view directory);

}  // namespace foretell::report

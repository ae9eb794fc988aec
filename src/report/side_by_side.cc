// SPDX-License-Identifier: Apache-2.0

#include "report/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/split.h"

namespace foretell::report {
namespace {

constexpr size_t kWidth = 38;  // of a column; two and the mark between them are 80
constexpr size_t kMostLinesShown = 24, kLinesBefore = 4;

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) return {};
  return split(text, '\n');
}

std::string cell(std::string_view line) {
  std::string text;
  for (char c : line.substr(0, kWidth)) {
    // What would move the cursor would break the table.
    text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return text;
}

}  // namespace

std::string side_by_side(std::string_view left_title, std::string_view left,
                         std::string_view right_title, std::string_view right) {
  const std::vector<std::string_view> a = lines_of(left), b = lines_of(right);
  const size_t rows = std::max(a.size(), b.size());
  auto line = [](const std::vector<std::string_view>& lines, size_t i) {
    return i < lines.size() ? lines[i] : std::string_view();
  };
  size_t first = 0;
  while (first < rows && line(a, first) == line(b, first)) ++first;
  const bool same = first == rows;
  const size_t begin = rows <= kMostLinesShown || same ? 0 : first - std::min(first, kLinesBefore);
  const size_t end = std::min(rows, begin + kMostLinesShown);
  std::string out = fmt::format("{:<{}}   {}\n", left_title, kWidth, right_title);
  if (begin > 0) out += fmt::format("... {} equal lines\n", begin);
  for (size_t i = begin; i < end; ++i) {
    std::string row = fmt::format("{:<{}} {} {}", cell(line(a, i)), kWidth,
                                  line(a, i) == line(b, i) ? ' ' : '|', cell(line(b, i)));
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  if (end < rows) out += fmt::format("... {} more lines\n", rows - end);
  if (same) out += "(both runs print the same)\n";
  return out;
}

}  // namespace foretell::report

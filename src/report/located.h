// SPDX-License-Identifier: Apache-2.0

// Findings whose events have source positions, in a compiler's look (the form people know): verdict
// first, the source line, how it happens, why it did not show, what to do.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "finding/result.h"

namespace foretell::report {

struct LocatedStyle {
  // Wraps text in a terminal's color code; leaves it as it is without color.
  std::function<std::string(std::string_view text, std::string_view code)> paint;
  std::string severity;  // of the finding's verdict, painted
  size_t columns = 80;
  bool utf8 = false;  // arrows and lines that ASCII has not
};

// True if every event of the finding has a file and a line.
bool is_located(const finding::Finding& finding);

std::string located_text(const finding::Finding& finding, const LocatedStyle& style);

}  // namespace foretell::report

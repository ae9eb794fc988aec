// SPDX-License-Identifier: Apache-2.0

// Splits text at a separator; empty parts are kept. (Debian's abseil has a string_view of its own.)
#pragma once

#include <string_view>
#include <vector>

namespace foretell {

inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace foretell

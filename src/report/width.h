// SPDX-License-Identifier: Apache-2.0

// How wide text is on a terminal.
#pragma once

#include <algorithm>
#include <string_view>

namespace foretell::report {

inline bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Code points, not bytes: names may be UTF-8.
inline size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues_character(byte); }));
}

}  // namespace foretell::report

// SPDX-License-Identifier: Apache-2.0

#include "base/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace foretell {
namespace {

struct Character {
  uint32_t code = 0;
  size_t size = 1;
};

// Only what is replaced, or may be, is decoded: other bytes stand for themselves.
Character first_of(std::string_view text) {
  auto byte = [&](size_t i) -> uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const bool has_second = (byte(1) & 0xc0) == 0x80;
  if ((byte(0) & 0xe0) == 0xc0 && has_second) {
    return {(byte(0) & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  }
  if ((byte(0) & 0xf0) == 0xe0 && has_second && (byte(2) & 0xc0) == 0x80) {
    return {(byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  }
  return {byte(0), 1};
}

bool is_control(const Character& c) {
  return c.code < 0x20 || c.code == 0x7f || (c.size == 2 && c.code >= 0x80 && c.code < 0xa0);
}

bool changes_direction(const Character& c) {
  if (c.size == 1) return false;
  return c.code == 0x61c || c.code == 0x200e || c.code == 0x200f ||
         (c.code >= 0x202a && c.code <= 0x202e) || (c.code >= 0x2066 && c.code <= 0x2069);
}

std::string replaced(std::string_view text, std::string_view kept) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Character c = first_of(text.substr(at));
    const bool stays = c.size == 1 && kept.find(text[at]) != std::string_view::npos;
    if (!stays && is_control(c)) {
      out += fmt::format("\\x{:02x}", c.code);
    } else if (changes_direction(c)) {
      out += fmt::format("\\u{:04x}", c.code);
    } else {
      out += text.substr(at, c.size);
    }
    at += c.size;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return replaced(text, "");
}

std::string printable_lines(std::string_view text) {
  return replaced(text, "\n\t");
}

size_t unprintable_at(std::string_view text) {
  if (text.empty()) return 0;
  const Character c = first_of(text);
  return is_control(c) || changes_direction(c) ? c.size : 0;
}

}  // namespace foretell

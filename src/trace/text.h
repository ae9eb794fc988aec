// SPDX-License-Identifier: Apache-2.0

// What the readers of line-based formats share: lines with numbers and limits, and short quotations
// of input for messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace foretell::trace {

// The part of `text` a message shows. Input may hold words as long as the file and bytes that
// drive a terminal: the excerpt is short, ends between two UTF-8 characters and has no controls.
inline std::string excerpt(std::string_view text) {
  constexpr size_t kLongest = 60;
  size_t end = std::min(text.size(), kLongest);
  while (end < text.size() && end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;
  std::string out(text.substr(0, end));
  for (char& c : out) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return end < text.size() ? out + "..." : out;
}

inline std::string_view skip_byte_order_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

constexpr bool is_line_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_line_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_line_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The lines of a text. A line longer than kLongestLine is handed out cut, with too_long() set, so
// that a gigabyte without a line end costs nothing.
class LineScanner {
 public:
  static constexpr size_t kLongestLine = size_t{1} << 20;

  explicit LineScanner(std::string_view bytes) : bytes_(skip_byte_order_mark(bytes)) {}

  bool at_end() const { return position_ == bytes_.size(); }

  // The next line without its end. Only if not at_end().
  std::string_view next() {
    const char* const begin = bytes_.data() + position_;
    const size_t most = std::min(bytes_.size() - position_, kLongestLine + 1);
    const void* const end = std::memchr(begin, '\n', most);
    const size_t size = end ? static_cast<size_t>(static_cast<const char*>(end) - begin) : most;
    too_long_ = size > kLongestLine;
    position_ += size + (end != nullptr);
    ++line_;
    return {begin, size};
  }

  bool too_long() const { return too_long_; }
  uint64_t line() const { return line_; }  // number of the line handed out last, from 1
  size_t offset() const { return position_; }

 private:
  std::string_view bytes_;
  size_t position_ = 0;
  uint64_t line_ = 0;
  bool too_long_ = false;
};

}  // namespace foretell::trace

// SPDX-License-Identifier: Apache-2.0

// Numbers as bytes and bytes as text: the columns of the HTML report's data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretell::report::html {

// LEB128: seven bits a byte, the lowest first; the top bit says that more follow.
class ByteWriter {
 public:
  void put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  // Small in both directions: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
  void put_signed(int64_t value) {
    put(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }

  size_t size() const { return bytes_.size(); }
  std::string base64() const;

 private:
  std::string bytes_;
};

inline std::string ByteWriter::base64() const {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes_.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes_.size() ? static_cast<unsigned char>(bytes_[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes_.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

}  // namespace foretell::report::html

// SPDX-License-Identifier: Apache-2.0

// Varints, zigzag and bounds-checked reading of little-endian bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace foretell::trace::ftrace {

constexpr uint64_t zigzag(uint64_t difference) {
  return (difference << 1) ^ (difference >> 63 ? ~uint64_t{0} : 0);
}
constexpr uint64_t unzigzag(uint64_t code) {
  return (code >> 1) ^ (~(code & 1) + 1);
}

inline void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// The low `size` bytes of `value`.
inline void put_bytes(std::string& out, uint64_t value, size_t size) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, size);
}

// Reads from the front of a range. Once it runs out it stays failed and yields zeros.
class ByteCursor {
 public:
  ByteCursor() = default;
  explicit ByteCursor(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const { return failed_; }
  bool at_end() const { return at_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  uint8_t byte() {
    if (at_ == end_) [[unlikely]] {
      failed_ = true;
      return 0;
    }
    return static_cast<uint8_t>(*at_++);
  }

  uint64_t integer(size_t size) {
    uint64_t value = 0;
    if (left() < size) [[unlikely]] {
      failed_ = true;
      return 0;
    }
    std::memcpy(&value, at_, size);
    at_ += size;
    return value;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      value |= uint64_t{next & 0x7fu} << shift;
      if (next < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }

  std::string_view text(uint64_t size) {
    if (left() < size) {
      failed_ = true;
      return {};
    }
    const std::string_view result(at_, size);
    at_ += size;
    return result;
  }

 private:
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool failed_ = false;
};

}  // namespace foretell::trace::ftrace

// SPDX-License-Identifier: Apache-2.0

// Even and odd.
#pragma once

#include <span>
#include <string>

#include "static_analysis/domain/operations.h"

namespace foretell::static_analysis::domain {

class Parity {
 public:
  static constexpr const char* kName = "parity";
  static constexpr uint8_t kEven = 1, kOdd = 2, kAny = 3;

  static Parity bottom(unsigned bits) { return {bits, 0}; }
  static Parity top(unsigned bits) { return {bits, kAny}; }
  static Parity of(unsigned bits, int64_t value) { return {bits, value & 1 ? kOdd : kEven}; }
  static Parity among(unsigned bits, uint8_t mask) { return {bits, mask}; }

  unsigned bits() const { return bits_; }
  uint8_t mask() const { return mask_; }
  bool is_bottom() const { return mask_ == 0; }
  bool contains(int64_t value) const { return (mask_ & (value & 1 ? kOdd : kEven)) != 0; }
  bool is_below(const Parity& other) const { return (mask_ & ~other.mask_) == 0; }
  bool operator==(const Parity&) const = default;

  Parity join(const Parity& other) const { return Parity(bits_, mask_ | other.mask_); }
  Parity meet(const Parity& other) const { return Parity(bits_, mask_ & other.mask_); }
  Parity widen(const Parity& next, std::span<const int64_t>) const { return join(next); }

  static Parity apply(Operation operation, const Parity& a, const Parity& b, Overflow overflow);
  // The lowest bit stays.
  Parity cast(Cast, unsigned bits) const { return {bits, mask_}; }
  Parity assume(Comparison comparison, const Parity& other) const {
    return comparison == Comparison::eq ? meet(other) : other.is_bottom() ? bottom(bits_) : *this;
  }
  std::string text() const;

 private:
  Parity(unsigned bits, int mask) : bits_(bits), mask_(static_cast<uint8_t>(mask)) {}

  unsigned bits_;
  uint8_t mask_;
};

}  // namespace foretell::static_analysis::domain

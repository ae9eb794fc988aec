// SPDX-License-Identifier: Apache-2.0

// Signs: a set of negative, zero and positive.
#pragma once

#include <span>
#include <string>

#include "static_analysis/domain/operations.h"

namespace foretell::static_analysis::domain {

class Sign {
 public:
  static constexpr const char* kName = "sign";
  static constexpr uint8_t kNegative = 1, kZero = 2, kPositive = 4, kAny = 7;

  static Sign bottom(unsigned bits) { return {bits, 0}; }
  // One bit holds 0 and -1.
  static Sign top(unsigned bits) { return {bits, bits == 1 ? kNegative | kZero : kAny}; }
  static Sign of(unsigned bits, int64_t value) { return {bits, bit_of(value)}; }
  static Sign among(unsigned bits, uint8_t mask) { return Sign(bits, mask & top(bits).mask_); }

  unsigned bits() const { return bits_; }
  uint8_t mask() const { return mask_; }
  bool is_bottom() const { return mask_ == 0; }
  bool contains(int64_t value) const { return (mask_ & bit_of(value)) != 0; }
  bool is_below(const Sign& other) const { return (mask_ & ~other.mask_) == 0; }
  bool operator==(const Sign&) const = default;

  Sign join(const Sign& other) const { return Sign(bits_, mask_ | other.mask_); }
  Sign meet(const Sign& other) const { return Sign(bits_, mask_ & other.mask_); }
  Sign widen(const Sign& next, std::span<const int64_t>) const { return join(next); }

  static Sign apply(Operation operation, const Sign& a, const Sign& b, Overflow overflow);
  Sign cast(Cast cast, unsigned bits) const;
  Sign assume(Comparison comparison, const Sign& other) const;
  std::string text() const;

  static uint8_t bit_of(int64_t value) {
    return value < 0 ? kNegative : value == 0 ? kZero : kPositive;
  }

 private:
  Sign(unsigned bits, int mask) : bits_(bits), mask_(static_cast<uint8_t>(mask)) {}

  unsigned bits_;
  uint8_t mask_;
};

}  // namespace foretell::static_analysis::domain

// SPDX-License-Identifier: Apache-2.0

// Intervals of signed numbers: Cousot, Cousot, 1977. An operation that may wrap around gives every
// number of the width.
#pragma once

#include <span>
#include <string>

#include "static_analysis/domain/operations.h"

namespace foretell::static_analysis::domain {

class Interval {
 public:
  static constexpr const char* kName = "interval";
  static Interval bottom(unsigned bits) { return {bits, 1, 0}; }
  static Interval top(unsigned bits) { return {bits, smallest(bits), largest(bits)}; }
  static Interval of(unsigned bits, int64_t value) { return {bits, value, value}; }
  static Interval between(unsigned bits, int64_t low, int64_t high);

  unsigned bits() const { return bits_; }
  int64_t low() const { return low_; }
  int64_t high() const { return high_; }
  bool is_bottom() const { return low_ > high_; }
  bool is_top() const { return *this == top(bits_); }
  std::optional<int64_t> single() const {
    return low_ == high_ ? std::optional(low_) : std::nullopt;
  }
  bool contains(int64_t value) const { return low_ <= value && value <= high_; }
  bool is_below(const Interval& other) const;
  bool operator==(const Interval&) const = default;

  Interval join(const Interval& other) const;
  Interval meet(const Interval& other) const;
  // To the next threshold; thresholds are sorted.
  Interval widen(const Interval& next, std::span<const int64_t> thresholds) const;

  static Interval apply(Operation operation, const Interval& a, const Interval& b,
                        Overflow overflow);
  Interval cast(Cast cast, unsigned bits) const;
  // The values for which the comparison with some value of `other` may hold.
  Interval assume(Comparison comparison, const Interval& other) const;
  std::string text() const;

 private:
  Interval(unsigned bits, int64_t low, int64_t high) : bits_(bits), low_(low), high_(high) {}

  unsigned bits_;
  int64_t low_, high_;  // bottom is 1, 0
};

}  // namespace foretell::static_analysis::domain

// SPDX-License-Identifier: Apache-2.0

// Floating point numbers as an interval, from which the sign follows, and whether "not a number" is
// among them. Ends are rounded outward, so every rounding mode is covered.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "static_analysis/domain/operations.h"

namespace foretell::static_analysis::domain {

enum class FloatOperation : uint8_t { add, sub, mul, div };
inline constexpr int kFloatOperations = 4;

class Floating {
 public:
  static Floating bottom() { return {1, 0, false}; }
  static Floating top();
  static Floating of(double value);
  static Floating between(double low, double high, bool may_be_nan);

  double low() const { return low_; }
  double high() const { return high_; }
  bool may_be_nan() const { return may_be_nan_; }
  bool has_numbers() const { return low_ <= high_; }
  bool is_bottom() const { return !has_numbers() && !may_be_nan_; }
  bool contains(double value) const;
  bool is_below(const Floating& other) const;
  bool operator==(const Floating&) const = default;

  Floating join(const Floating& other) const;
  Floating meet(const Floating& other) const;
  Floating widen(const Floating& next) const;

  // Of `bits` wide numbers: 32 or 64.
  static Floating apply(FloatOperation operation, const Floating& a, const Floating& b,
                        unsigned bits);
  Floating negated() const;
  Floating rounded_to_float() const;
  // The values for which an ordered comparison (false for "not a number") may hold.
  Floating assume(Comparison comparison, const Floating& other) const;
  std::string text() const;

 private:
  Floating(double low, double high, bool may_be_nan)
      : low_(low), high_(high), may_be_nan_(may_be_nan) {}

  double low_, high_;  // -0 counts as 0; none: 1, 0
  bool may_be_nan_;
};

}  // namespace foretell::static_analysis::domain

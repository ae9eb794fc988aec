// SPDX-License-Identifier: Apache-2.0

// The reduced product of all domains of the registry: a number is in it if it is in each part, and
// what one part knows sharpens the others. Singletons, signs, parities and remainders travel through
// the interval and the congruence.
#pragma once

#include "static_analysis/domain/domain.h"

namespace foretell::static_analysis::domain {

class Number {
 public:
  static constexpr const char* kName = "product";
  static Number bottom(unsigned bits);
  static Number top(unsigned bits);
  static Number of(unsigned bits, int64_t value);
  static Number between(unsigned bits, int64_t low, int64_t high);

  template <Domain D>
  const D& part() const {
    return std::get<D>(parts_);
  }
  unsigned bits() const { return part<Interval>().bits(); }
  bool is_bottom() const { return part<Interval>().is_bottom(); }
  std::optional<int64_t> single() const { return part<Interval>().single(); }
  bool contains(int64_t value) const;
  bool is_below(const Number& other) const;
  bool operator==(const Number&) const = default;

  Number join(const Number& other) const;
  Number meet(const Number& other) const;
  Number widen(const Number& next, std::span<const int64_t> thresholds) const;

  static Number apply(Operation operation, const Number& a, const Number& b, Overflow overflow);
  Number cast(Cast cast, unsigned bits) const;
  Number assume(Comparison comparison, const Number& other) const;
  std::string text() const;

 private:
  explicit Number(Domains parts) : parts_(std::move(parts)) {}
  // Keeps the set of numbers.
  void reduce();

  Domains parts_;
};
static_assert(Domain<Number>);

}  // namespace foretell::static_analysis::domain

// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/floating.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace foretell::static_analysis::domain {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double calculated(FloatOperation operation, double a, double b) {
  switch (operation) {
    case FloatOperation::add:
      return a + b;
    case FloatOperation::sub:
      return a - b;
    case FloatOperation::mul:
      return a * b;
    case FloatOperation::div:
      return a / b;
  }
  return 0;
}

double down(double value) {
  return std::nextafter(value, -kInfinity);
}
double up(double value) {
  return std::nextafter(value, kInfinity);
}

}  // namespace

Floating Floating::top() {
  return {-kInfinity, kInfinity, true};
}

Floating Floating::of(double value) {
  if (std::isnan(value)) return {1, 0, true};
  value += 0.0;  // -0 becomes 0
  return {value, value, false};
}

Floating Floating::between(double low, double high, bool may_be_nan) {
  if (!(low <= high)) return {1, 0, may_be_nan};
  return {low + 0.0, high + 0.0, may_be_nan};
}

bool Floating::contains(double value) const {
  return std::isnan(value) ? may_be_nan_ : low_ <= value && value <= high_;
}

bool Floating::is_below(const Floating& other) const {
  if (may_be_nan_ && !other.may_be_nan_) return false;
  return !has_numbers() || (other.low_ <= low_ && high_ <= other.high_);
}

Floating Floating::join(const Floating& other) const {
  const bool may_be_nan = may_be_nan_ || other.may_be_nan_;
  if (!has_numbers()) return {other.low_, other.high_, may_be_nan};
  if (!other.has_numbers()) return {low_, high_, may_be_nan};
  return {std::min(low_, other.low_), std::max(high_, other.high_), may_be_nan};
}

Floating Floating::meet(const Floating& other) const {
  return between(std::max(low_, other.low_), std::min(high_, other.high_),
                 may_be_nan_ && other.may_be_nan_);
}

// By way of zero: signs are what is asked for.
Floating Floating::widen(const Floating& next) const {
  const Floating joined = join(next);
  if (!has_numbers() || !next.has_numbers()) return joined;
  const double low = next.low_ >= low_ ? low_ : next.low_ >= 0 ? 0 : -kInfinity;
  const double high = next.high_ <= high_ ? high_ : next.high_ <= 0 ? 0 : kInfinity;
  return {low, high, joined.may_be_nan_};
}

Floating Floating::apply(FloatOperation operation, const Floating& a, const Floating& b,
                         unsigned bits) {
  if (a.is_bottom() || b.is_bottom()) return bottom();
  bool may_be_nan = a.may_be_nan_ || b.may_be_nan_;
  if (!a.has_numbers() || !b.has_numbers()) return {1, 0, true};
  // Zero and infinity divide and multiply to anything.
  const bool divides_by_zero = operation == FloatOperation::div && b.contains(0);
  if (divides_by_zero) return top();
  const std::array<double, 4> corners = {
      calculated(operation, a.low_, b.low_), calculated(operation, a.low_, b.high_),
      calculated(operation, a.high_, b.low_), calculated(operation, a.high_, b.high_)};
  if (std::ranges::any_of(corners, [](double one) { return std::isnan(one); })) return top();
  // Zero inside times infinity at an end is not at a corner.
  const bool has_infinity =
      std::isinf(a.low_) || std::isinf(a.high_) || std::isinf(b.low_) || std::isinf(b.high_);
  if (has_infinity && operation != FloatOperation::add && operation != FloatOperation::sub)
    if (a.contains(0) || b.contains(0) || operation == FloatOperation::div) may_be_nan = true;
  if (has_infinity && (operation == FloatOperation::add || operation == FloatOperation::sub))
    may_be_nan = true;
  const auto [low, high] = std::ranges::minmax(corners);
  // A zero that is the exact result stays one; what is rounded does not change its sign.
  const auto outward = [](double value, double next) {
    return value == 0 || (value < 0) != (next < 0) ? value : next;
  };
  Floating result = between(outward(low, down(low)), outward(high, up(high)), may_be_nan);
  // A product or quotient of tiny numbers is rounded to zero.
  if (operation == FloatOperation::mul || operation == FloatOperation::div) {
    if (result.low_ > 0 && result.low_ < 1e-37) result.low_ = 0;
    if (result.high_ < 0 && result.high_ > -1e-37) result.high_ = 0;
  }
  return bits == 32 ? result.rounded_to_float() : result;
}

Floating Floating::negated() const {
  return between(-high_, -low_, may_be_nan_);
}

Floating Floating::rounded_to_float() const {
  if (!has_numbers()) return *this;
  const auto to_float = [](double value, float end) -> double {
    const auto near = static_cast<float>(value);
    if (static_cast<double>(near) == value) return near;
    return std::nextafterf(near, end);
  };
  const double low = to_float(low_, -std::numeric_limits<float>::infinity());
  const double high = to_float(high_, std::numeric_limits<float>::infinity());
  return between(low, high, may_be_nan_);
}

Floating Floating::assume(Comparison comparison, const Floating& other) const {
  if (!other.has_numbers()) return bottom();
  switch (comparison) {
    case Comparison::eq:
      return between(std::max(low_, other.low_), std::min(high_, other.high_), false);
    case Comparison::slt:
      if (other.high_ == -kInfinity) return bottom();
      return between(low_, std::min(high_, down(other.high_)), false);
    case Comparison::sle:
      return between(low_, std::min(high_, other.high_), false);
    case Comparison::sgt:
      if (other.low_ == kInfinity) return bottom();
      return between(std::max(low_, up(other.low_)), high_, false);
    case Comparison::sge:
      return between(std::max(low_, other.low_), high_, false);
    default:
      return between(low_, high_, false);
  }
}

std::string Floating::text() const {
  if (is_bottom()) return "none";
  if (!has_numbers()) return "nan";
  return fmt::format("[{}, {}]{}", low_, high_, may_be_nan_ ? " or nan" : "");
}

}  // namespace foretell::static_analysis::domain

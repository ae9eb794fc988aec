// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace foretell::static_analysis::domain {
namespace {

// The range of results, if nothing wraps; what lies outside the width wraps or is excluded.
Interval fitted(unsigned bits, __int128 low, __int128 high, Overflow overflow) {
  if (low >= smallest(bits) && high <= largest(bits))
    return Interval::between(bits, static_cast<int64_t>(low), static_cast<int64_t>(high));
  if (overflow == Overflow::wraps) return Interval::top(bits);
  low = std::max<__int128>(low, smallest(bits));
  high = std::min<__int128>(high, largest(bits));
  return Interval::between(bits, static_cast<int64_t>(low), static_cast<int64_t>(high));
}

Interval product_of(const Interval& a, const Interval& b, Overflow overflow) {
  const std::array<__int128, 4> corners = {
      __int128{a.low()} * b.low(), __int128{a.low()} * b.high(), __int128{a.high()} * b.low(),
      __int128{a.high()} * b.high()};
  const auto [low, high] = std::ranges::minmax(corners);
  return fitted(a.bits(), low, high, overflow);
}

// b is of one sign.
Interval quotient_of(const Interval& a, const Interval& b) {
  const std::array<__int128, 4> corners = {
      __int128{a.low()} / b.low(), __int128{a.low()} / b.high(), __int128{a.high()} / b.low(),
      __int128{a.high()} / b.high()};
  const auto [low, high] = std::ranges::minmax(corners);
  return fitted(a.bits(), low, high, Overflow::excluded);
}

Interval divided(const Interval& a, const Interval& b) {
  const unsigned bits = a.bits();
  Interval result = Interval::bottom(bits);
  const Interval negative = b.meet(Interval::between(bits, smallest(bits), -1));
  if (!negative.is_bottom()) result = result.join(quotient_of(a, negative));
  const Interval positive = b.meet(Interval::between(bits, 1, largest(bits)));
  if (!positive.is_bottom()) result = result.join(quotient_of(a, positive));
  return result;
}

Interval remainder_of(const Interval& a, const Interval& b) {
  const unsigned bits = a.bits();
  const __int128 most = std::max<__int128>(-__int128{b.low()}, b.high()) - 1;
  if (most < 0) return Interval::bottom(bits);  // by zero only
  const __int128 low = a.low() < 0 ? std::max<__int128>(a.low(), -most) : 0;
  const __int128 high = a.high() > 0 ? std::min<__int128>(a.high(), most) : 0;
  return fitted(bits, low, high, Overflow::excluded);
}

int64_t all_ones_to(int64_t value) {
  return static_cast<int64_t>((uint64_t{1} << std::bit_width(static_cast<uint64_t>(value))) - 1);
}

Interval combined(Operation operation, const Interval& a, const Interval& b) {
  const unsigned bits = a.bits();
  const bool both = a.low() >= 0 && b.low() >= 0;
  if (operation == Operation::bits_and) {
    if (both) return Interval::between(bits, 0, std::min(a.high(), b.high()));
    if (a.low() >= 0) return Interval::between(bits, 0, a.high());
    if (b.low() >= 0) return Interval::between(bits, 0, b.high());
    return Interval::top(bits);
  }
  if (!both) return Interval::top(bits);
  const int64_t low = operation == Operation::bits_or ? std::max(a.low(), b.low()) : 0;
  return Interval::between(bits, low, all_ones_to(std::max(a.high(), b.high())));
}

Interval shifted(Operation operation, const Interval& a, const Interval& b, Overflow overflow) {
  const unsigned bits = a.bits();
  // As unsigned numbers, the distances that have a meaning are 0 to bits - 1; for one bit that is 0.
  const int64_t furthest = std::min<int64_t>(bits - 1, largest(bits));
  const Interval by = b.meet(Interval::between(bits, 0, furthest));
  // What is negative as a signed number may still be a small distance in a few bits.
  const bool is_plain = static_cast<int64_t>(bits) - 1 <= largest(bits);
  if (!is_plain) return Interval::top(bits);
  if (by.is_bottom()) return Interval::bottom(bits);
  const __int128 near = __int128{1} << by.low(), far = __int128{1} << by.high();
  if (operation == Operation::shl) {
    const std::array<__int128, 4> corners = {a.low() * near, a.low() * far, a.high() * near,
                                             a.high() * far};
    const auto [low, high] = std::ranges::minmax(corners);
    return fitted(bits, low, high, overflow);
  }
  if (operation == Operation::lshr && a.low() < 0) {
    if (by.low() == 0) return Interval::top(bits);
    const auto most = static_cast<int64_t>(as_unsigned(bits, -1) >> by.low());
    return Interval::between(bits, 0, most);
  }
  const std::array<int64_t, 4> corners = {a.low() >> by.low(), a.low() >> by.high(),
                                          a.high() >> by.low(), a.high() >> by.high()};
  const auto [low, high] = std::ranges::minmax(corners);
  return Interval::between(bits, low, high);
}

}  // namespace

Interval Interval::between(unsigned bits, int64_t low, int64_t high) {
  return low > high ? bottom(bits) : Interval(bits, low, high);
}

bool Interval::is_below(const Interval& other) const {
  return is_bottom() || (other.low_ <= low_ && high_ <= other.high_);
}

Interval Interval::join(const Interval& other) const {
  if (is_bottom()) return other;
  if (other.is_bottom()) return *this;
  return {bits_, std::min(low_, other.low_), std::max(high_, other.high_)};
}

Interval Interval::meet(const Interval& other) const {
  return between(bits_, std::max(low_, other.low_), std::min(high_, other.high_));
}

Interval Interval::widen(const Interval& next, std::span<const int64_t> thresholds) const {
  if (is_bottom()) return next;
  if (next.is_bottom()) return *this;
  int64_t low = low_, high = high_;
  if (next.low_ < low) {
    const auto above = std::ranges::upper_bound(thresholds, next.low_);
    low = above == thresholds.begin() ? smallest(bits_)
                                      : std::max(smallest(bits_), *std::prev(above));
  }
  if (next.high_ > high) {
    const auto at = std::ranges::lower_bound(thresholds, next.high_);
    high = at == thresholds.end() ? largest(bits_) : std::min(largest(bits_), *at);
  }
  return {bits_, low, high};
}

Interval Interval::apply(Operation operation, const Interval& a, const Interval& b,
                         Overflow overflow) {
  const unsigned bits = a.bits_;
  if (a.is_bottom() || b.is_bottom()) return bottom(bits);
  if (a.single() && b.single()) {
    const auto result = evaluate(operation, bits, a.low_, b.low_, overflow);
    return result ? of(bits, *result) : bottom(bits);
  }
  switch (operation) {
    case Operation::add:
      return fitted(bits, __int128{a.low_} + b.low_, __int128{a.high_} + b.high_, overflow);
    case Operation::sub:
      return fitted(bits, __int128{a.low_} - b.high_, __int128{a.high_} - b.low_, overflow);
    case Operation::mul:
      return product_of(a, b, overflow);
    case Operation::sdiv:
      return divided(a, b);
    case Operation::udiv:
      if (a.low_ < 0 || b.low_ < 0) return top(bits);
      return divided(a, b);
    case Operation::srem:
      return remainder_of(a, b);
    case Operation::urem:
      if (b.low_ < 0) return top(bits);
      if (a.low_ >= 0) return remainder_of(a, b);
      return between(bits, 0, b.high_ - 1);
    case Operation::bits_and:
    case Operation::bits_or:
    case Operation::bits_xor:
      return combined(operation, a, b);
    case Operation::shl:
    case Operation::lshr:
    case Operation::ashr:
      return shifted(operation, a, b, overflow);
  }
  return top(bits);
}

Interval Interval::cast(Cast cast, unsigned bits) const {
  if (is_bottom()) return bottom(bits);
  switch (cast) {
    case Cast::truncate:
      return fitted(bits, low_, high_, Overflow::wraps);
    case Cast::sign_extend:
      return {bits, low_, high_};
    case Cast::zero_extend:
      if (low_ >= 0) return {bits, low_, high_};
      if (high_ < 0)
        return {bits, static_cast<int64_t>(as_unsigned(bits_, low_)),
                static_cast<int64_t>(as_unsigned(bits_, high_))};
      return {bits, 0, static_cast<int64_t>(as_unsigned(bits_, -1))};
  }
  return top(bits);
}

Interval Interval::assume(Comparison comparison, const Interval& other) const {
  if (is_bottom() || other.is_bottom()) return bottom(bits_);
  const auto below = [&](int64_t most) { return meet(between(bits_, smallest(bits_), most)); };
  const auto above = [&](int64_t least) { return meet(between(bits_, least, largest(bits_))); };
  const bool both = low_ >= 0 && other.low_ >= 0;
  switch (comparison) {
    case Comparison::eq:
      return meet(other);
    case Comparison::ne: {
      const auto value = other.single();
      if (!value) return *this;
      if (low_ == high_) return low_ == *value ? bottom(bits_) : *this;
      if (low_ == *value) return {bits_, low_ + 1, high_};
      return high_ == *value ? Interval{bits_, low_, high_ - 1} : *this;
    }
    case Comparison::slt:
      return other.high_ == smallest(bits_) ? bottom(bits_) : below(other.high_ - 1);
    case Comparison::sle:
      return below(other.high_);
    case Comparison::sgt:
      return other.low_ == largest(bits_) ? bottom(bits_) : above(other.low_ + 1);
    case Comparison::sge:
      return above(other.low_);
    // Below a number that is not negative there are no negative ones.
    case Comparison::ult:
      return other.low_ < 0 ? *this : meet(between(bits_, 0, other.high_ - 1));
    case Comparison::ule:
      return other.low_ < 0 ? *this : meet(between(bits_, 0, other.high_));
    case Comparison::ugt:
      if (!both) return *this;
      return other.low_ == largest(bits_) ? bottom(bits_) : above(other.low_ + 1);
    case Comparison::uge:
      return both ? above(other.low_) : *this;
  }
  return *this;
}

std::string Interval::text() const {
  if (is_bottom()) return "none";
  const auto bound = [&](int64_t value) {
    if (value == smallest(bits_) && bits_ >= 16) return std::string("-inf");
    if (value == largest(bits_) && bits_ >= 16) return std::string("inf");
    return fmt::format("{}", value);
  };
  return fmt::format("[{}, {}]", bound(low_), bound(high_));
}

}  // namespace foretell::static_analysis::domain

// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/number.h"

#include <fmt/format.h>

namespace foretell::static_analysis::domain {
namespace {

// The tuple of what `make` says of each part, by its position.
template <typename F, size_t... I>
Domains for_each_part(F make, std::index_sequence<I...>) {
  return {make(std::integral_constant<size_t, I>())...};
}
template <typename F>
Domains for_each_part(F make) {
  return for_each_part(make, std::make_index_sequence<std::tuple_size_v<Domains>>());
}

template <typename F, size_t... I>
bool all_parts(F holds, std::index_sequence<I...>) {
  return (holds(std::integral_constant<size_t, I>()) && ...);
}
template <typename F>
bool all_parts(F holds) {
  return all_parts(holds, std::make_index_sequence<std::tuple_size_v<Domains>>());
}

template <size_t I>
using Part = std::tuple_element_t<I, Domains>;

Interval interval_of(const Sign& sign) {
  const unsigned bits = sign.bits();
  if (sign.is_bottom()) return Interval::bottom(bits);
  const int64_t low = sign.mask() & Sign::kNegative ? smallest(bits)
                      : sign.mask() & Sign::kZero   ? 0
                                                    : 1;
  const int64_t high = sign.mask() & Sign::kPositive ? largest(bits)
                       : sign.mask() & Sign::kZero   ? 0
                                                     : -1;
  return Interval::between(bits, low, high);
}

// Without zero at an end, if the sign excludes it.
Interval without_zero(const Interval& range, const Sign& sign) {
  if (sign.mask() & Sign::kZero) return range;
  return range.assume(Comparison::ne, Interval::of(range.bits(), 0));
}

Sign sign_of(const Interval& range) {
  uint8_t mask = 0;
  if (range.low() < 0) mask |= Sign::kNegative;
  if (range.contains(0)) mask |= Sign::kZero;
  if (range.high() > 0) mask |= Sign::kPositive;
  return Sign::among(range.bits(), mask);
}

Congruence congruence_of(const Parity& parity) {
  const unsigned bits = parity.bits();
  if (parity.mask() == Parity::kEven) return Congruence::modulo(bits, 2, 0);
  return parity.mask() == Parity::kOdd ? Congruence::modulo(bits, 2, 1) : Congruence::top(bits);
}

Parity parity_of(const Congruence& congruence) {
  const unsigned bits = congruence.bits();
  if (congruence.modulus() % 2 != 0) return Parity::top(bits);
  return Parity::of(bits, congruence.remainder());
}

// Ends that have the remainder.
Interval trimmed(const Interval& range, const Congruence& congruence) {
  if (congruence.modulus() <= 1) {
    const auto value = congruence.single();
    return value ? range.meet(Interval::of(range.bits(), *value)) : range;
  }
  const auto modulus = static_cast<__int128>(congruence.modulus());
  const auto distance = [&](__int128 from) { return ((from % modulus) + modulus) % modulus; };
  const __int128 low = range.low() + distance(__int128{congruence.remainder()} - range.low());
  const __int128 high = range.high() - distance(__int128{range.high()} - congruence.remainder());
  if (low > high) return Interval::bottom(range.bits());
  return Interval::between(range.bits(), static_cast<int64_t>(low), static_cast<int64_t>(high));
}

}  // namespace

void Number::reduce() {
  auto& [range, sign, parity, constant, congruence] = parts_;
  const unsigned width = range.bits();
  const auto is_empty = [&] {
    return !all_parts([&](auto i) { return !std::get<i>(parts_).is_bottom(); });
  };
  // Twice is enough for what travels from a remainder to an end and from there to the sign.
  for (int round = 0; round < 2 && !is_empty(); round++) {
    if (const auto value = constant.single()) range = range.meet(Interval::of(width, *value));
    range = without_zero(range.meet(interval_of(sign)), sign);
    if (range.is_bottom()) break;
    congruence = congruence.meet(congruence_of(parity));
    if (congruence.is_bottom()) break;
    range = trimmed(range, congruence);
    if (range.is_bottom()) break;
    sign = sign.meet(sign_of(range));
    if (const auto value = range.single()) {
      constant = constant.meet(Constant::of(width, *value));
      congruence = congruence.meet(Congruence::of(width, *value));
    }
    if (!congruence.is_bottom()) parity = parity.meet(parity_of(congruence));
  }
  if (is_empty()) *this = bottom(width);
}

Number Number::bottom(unsigned bits) {
  return Number(for_each_part([&](auto i) { return Part<i>::bottom(bits); }));
}

Number Number::top(unsigned bits) {
  return Number(for_each_part([&](auto i) { return Part<i>::top(bits); }));
}

Number Number::of(unsigned bits, int64_t value) {
  return Number(for_each_part([&](auto i) { return Part<i>::of(bits, value); }));
}

Number Number::between(unsigned bits, int64_t low, int64_t high) {
  Number number = top(bits);
  std::get<Interval>(number.parts_) = Interval::between(bits, low, high);
  number.reduce();
  return number;
}

bool Number::contains(int64_t value) const {
  return all_parts([&](auto i) { return std::get<i>(parts_).contains(value); });
}

bool Number::is_below(const Number& other) const {
  return all_parts([&](auto i) { return std::get<i>(parts_).is_below(std::get<i>(other.parts_)); });
}

Number Number::join(const Number& other) const {
  return Number(
      for_each_part([&](auto i) { return std::get<i>(parts_).join(std::get<i>(other.parts_)); }));
}

Number Number::meet(const Number& other) const {
  Number number(
      for_each_part([&](auto i) { return std::get<i>(parts_).meet(std::get<i>(other.parts_)); }));
  number.reduce();
  return number;
}

// Not reduced: the parts would pull each other back for ever.
Number Number::widen(const Number& next, std::span<const int64_t> thresholds) const {
  return Number(for_each_part(
      [&](auto i) { return std::get<i>(parts_).widen(std::get<i>(next.parts_), thresholds); }));
}

Number Number::apply(Operation operation, const Number& a, const Number& b, Overflow overflow) {
  Number number(for_each_part([&](auto i) {
    return Part<i>::apply(operation, std::get<i>(a.parts_), std::get<i>(b.parts_), overflow);
  }));
  number.reduce();
  return number;
}

Number Number::cast(Cast cast, unsigned bits) const {
  Number number(for_each_part([&](auto i) { return std::get<i>(parts_).cast(cast, bits); }));
  number.reduce();
  return number;
}

Number Number::assume(Comparison comparison, const Number& other) const {
  Number number(for_each_part(
      [&](auto i) { return std::get<i>(parts_).assume(comparison, std::get<i>(other.parts_)); }));
  number.reduce();
  return number;
}

std::string Number::text() const {
  if (is_bottom()) return "none";
  if (const auto value = single()) return fmt::format("{}", *value);
  std::string text = part<Interval>().text();
  const Sign& sign = part<Sign>();
  if (sign != sign_of(part<Interval>())) text += " " + sign.text();
  if (part<Congruence>().modulus() > 1) text += " " + part<Congruence>().text();
  return text;
}

}  // namespace foretell::static_analysis::domain

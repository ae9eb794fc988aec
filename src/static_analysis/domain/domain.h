// SPDX-License-Identifier: Apache-2.0

// What an abstract domain of machine integers is, and the list of those there are.
//
// An element stands for a set of numbers of one width. `apply`, `cast` and `assume` are sound: what
// the concrete operation (operations.h) makes of numbers in the arguments is in the result. A new
// domain is a class and its name in `Domains`; the laws in tests/unit/static_analysis are then tested
// for it, too.
#pragma once

#include <concepts>
#include <tuple>

#include "static_analysis/domain/congruence.h"
#include "static_analysis/domain/constant.h"
#include "static_analysis/domain/interval.h"
#include "static_analysis/domain/parity.h"
#include "static_analysis/domain/sign.h"

namespace foretell::static_analysis::domain {

template <typename D>
concept Domain = requires(const D& a, const D& b, unsigned bits, int64_t value,
                          std::span<const int64_t> thresholds) {
  { D::kName } -> std::convertible_to<const char*>;
  { D::bottom(bits) } -> std::same_as<D>;
  { D::top(bits) } -> std::same_as<D>;
  { D::of(bits, value) } -> std::same_as<D>;
  { a.bits() } -> std::same_as<unsigned>;
  { a.is_bottom() } -> std::same_as<bool>;
  { a.contains(value) } -> std::same_as<bool>;
  { a.is_below(b) } -> std::same_as<bool>;
  { a.join(b) } -> std::same_as<D>;
  { a.meet(b) } -> std::same_as<D>;
  { a.widen(b, thresholds) } -> std::same_as<D>;
  { D::apply(Operation::add, a, b, Overflow::wraps) } -> std::same_as<D>;
  { a.cast(Cast::truncate, bits) } -> std::same_as<D>;
  { a.assume(Comparison::eq, b) } -> std::same_as<D>;
  { a.text() } -> std::same_as<std::string>;
  { a == b } -> std::same_as<bool>;
};

// The registry.
using Domains = std::tuple<Interval, Sign, Parity, Constant, Congruence>;

template <typename>
inline constexpr bool kAllAreDomains = false;
template <Domain... Ds>
inline constexpr bool kAllAreDomains<std::tuple<Ds...>> = true;
static_assert(kAllAreDomains<Domains>);

}  // namespace foretell::static_analysis::domain

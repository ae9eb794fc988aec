// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/domain/constant.h"

#include <fmt/format.h>

namespace foretell::static_analysis::domain {

Constant Constant::apply(Operation operation, const Constant& a, const Constant& b,
                         Overflow overflow) {
  if (a.is_bottom() || b.is_bottom()) return bottom(a.bits_);
  if (a.kind_ == Kind::one && b.kind_ == Kind::one) {
    const auto result = evaluate(operation, a.bits_, a.value_, b.value_, overflow);
    return result ? of(a.bits_, *result) : bottom(a.bits_);
  }
  const bool absorbs = operation == Operation::mul || operation == Operation::bits_and;
  if (absorbs && (a.single() == 0 || b.single() == 0)) return of(a.bits_, 0);
  return top(a.bits_);
}

Constant Constant::cast(Cast cast, unsigned bits) const {
  if (is_bottom()) return bottom(bits);
  return kind_ == Kind::one ? of(bits, cast_value(cast, bits_, bits, value_)) : top(bits);
}

Constant Constant::assume(Comparison comparison, const Constant& other) const {
  if (is_bottom() || other.is_bottom()) return bottom(bits_);
  if (comparison == Comparison::eq) return meet(other);
  if (kind_ == Kind::one && other.kind_ == Kind::one &&
      !holds(comparison, bits_, value_, other.value_))
    return bottom(bits_);
  return *this;
}

std::string Constant::text() const {
  return kind_ == Kind::none ? "none" : kind_ == Kind::any ? "any" : fmt::format("{}", value_);
}

}  // namespace foretell::static_analysis::domain

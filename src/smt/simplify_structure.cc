// SPDX-License-Identifier: Apache-2.0

// Normal forms of concatenations, extracts, extensions, and of arrays. See smt/expr_context.h.
#include <algorithm>

#include "base/check.h"
#include "smt/expr_context.h"

namespace foretell::smt {
namespace {

// "x + constant", of which a plain x is the case 0.
std::pair<Expr, Bits> base_and_offset(Expr e) {
  if (e.kind() == ExprKind::add && e.operand(0).is_constant()) {
    return {e.operand(1), e.operand(0).value()};
  }
  return {e, Bits(e.width())};
}

// Whether two indexes differ for all values of their variables.
bool always_differ(Expr a, Expr b) {
  if (a.is_constant() && b.is_constant()) return a != b;
  const auto [base_a, offset_a] = base_and_offset(a);
  const auto [base_b, offset_b] = base_and_offset(b);
  return base_a == base_b && offset_a != offset_b;
}

}  // namespace

Expr ExprContext::concat(Expr high, Expr low) {
  CHECK(high.is_bits() && low.is_bits());
  const uint32_t width = high.width() + low.width();
  if (high.is_constant() && low.is_constant())
    return constant(smt::concat(high.value(), low.value()));
  if (high.is_constant() && high.value().is_zero()) return zero_extend(low, width);
  // To the right, so that a value put together byte by byte has one shape.
  if (high.kind() == ExprKind::concat) return concat(high.operand(0), concat(high.operand(1), low));
  if (high.kind() == ExprKind::zero_extend) {
    return zero_extend(concat(high.operand(0), low), width);
  }
  const bool is_nested = low.kind() == ExprKind::concat;
  const Expr next = is_nested ? low.operand(0) : low;
  auto followed_by_rest = [&](Expr joined) {
    return is_nested ? concat(joined, low.operand(1)) : joined;
  };
  if (high.is_constant() && next.is_constant()) {
    return followed_by_rest(constant(smt::concat(high.value(), next.value())));
  }
  if (high.kind() == ExprKind::extract && next.kind() == ExprKind::extract &&
      high.operand(0) == next.operand(0) && high.low() == next.low() + next.width()) {
    return followed_by_rest(extract(high.operand(0), next.low(), high.width() + next.width()));
  }
  return make(ExprKind::concat, Sort::bits(width), {high, low});
}

Expr ExprContext::extract(Expr a, uint32_t low, uint32_t width) {
  CHECK(a.is_bits() && width > 0 && low < a.width() && width <= a.width() - low);
  if (width == a.width()) return a;
  if (a.kind() == ExprKind::extract) return extract(a.operand(0), a.low() + low, width);
  if (a.kind() == ExprKind::concat) {
    const Expr upper = a.operand(0), lower = a.operand(1);
    if (low >= lower.width()) return extract(upper, low - lower.width(), width);
    if (low + width <= lower.width()) return extract(lower, low, width);
    const uint32_t from_lower = lower.width() - low;
    return concat(extract(upper, 0, width - from_lower), extract(lower, low, from_lower));
  }
  if (a.kind() == ExprKind::zero_extend || a.kind() == ExprKind::sign_extend) {
    const Expr inner = a.operand(0);
    if (low + width <= inner.width()) return extract(inner, low, width);
    const bool is_signed = a.kind() == ExprKind::sign_extend;
    if (low < inner.width()) {
      const Expr part = extract(inner, low, inner.width() - low);
      return is_signed ? sign_extend(part, width) : zero_extend(part, width);
    }
    if (!is_signed) return constant(Bits(width));
    return sign_extend(extract(inner, inner.width() - 1, 1), width);
  }
  return fold(ExprKind::extract, Sort::bits(width), {a}, low);
}

Expr ExprContext::zero_extend(Expr a, uint32_t width) {
  CHECK(a.is_bits() && width >= a.width());
  if (width == a.width()) return a;
  if (a.kind() == ExprKind::zero_extend) return zero_extend(a.operand(0), width);
  return fold(ExprKind::zero_extend, Sort::bits(width), {a});
}

Expr ExprContext::sign_extend(Expr a, uint32_t width) {
  CHECK(a.is_bits() && width >= a.width());
  if (width == a.width()) return a;
  if (a.kind() == ExprKind::sign_extend) return sign_extend(a.operand(0), width);
  // Its sign is 0.
  if (a.kind() == ExprKind::zero_extend) return zero_extend(a.operand(0), width);
  return fold(ExprKind::sign_extend, Sort::bits(width), {a});
}

Expr ExprContext::constant_array(uint32_t index_width, Expr element) {
  CHECK(element.is_bits());
  return make(ExprKind::constant_array, Sort::array(index_width, element.width()), {element});
}

Expr ExprContext::select(Expr array, Expr index) {
  CHECK(array.is_array() && index.sort() == Sort::bits(array.sort().index_width));
  while (array.kind() == ExprKind::store) {
    if (array.operand(1) == index) return array.operand(2);
    if (!always_differ(array.operand(1), index)) break;
    array = array.operand(0);
  }
  if (array.kind() == ExprKind::constant_array) return array.operand(0);
  return make(ExprKind::select, Sort::bits(array.width()), {array, index});
}

Expr ExprContext::store(Expr array, Expr index, Expr element) {
  CHECK(array.is_array() && index.sort() == Sort::bits(array.sort().index_width));
  CHECK(element.sort() == Sort::bits(array.width()));
  if (array.kind() == ExprKind::store && array.operand(1) == index) array = array.operand(0);
  if (element.kind() == ExprKind::select && element.operand(0) == array &&
      element.operand(1) == index) {
    return array;
  }
  return make(ExprKind::store, array.sort(), {array, index, element});
}

}  // namespace foretell::smt

// SPDX-License-Identifier: Apache-2.0

// Normal forms of arithmetic, bit operations and shifts. See smt/expr_context.h.
#include "base/check.h"
#include "smt/expr_context.h"
#include "smt/operators.h"

namespace foretell::smt {
namespace {

bool are_complements(Expr a, Expr b) {
  return (a.kind() == ExprKind::complement && a.operand(0) == b) ||
         (b.kind() == ExprKind::complement && b.operand(0) == a);
}

bool is_zero(Expr e) {
  return e.is_constant() && e.value().is_zero();
}

bool is_one(Expr e) {
  return e.is_constant() && e.value() == Bits(e.width(), 1);
}

bool is_all_ones(Expr e) {
  return e.is_constant() && e.value().is_all_ones();
}

void check_same_width(Expr a, Expr b) {
  CHECK(a.is_bits() && a.sort() == b.sort());
}

}  // namespace

Expr ExprContext::commutative(ExprKind kind, Expr a, Expr b) {
  const bool is_swapped =
      a.is_constant() != b.is_constant() ? b.is_constant() : structurally_before(b, a);
  if (is_swapped) std::swap(a, b);
  return fold(kind, a.sort(), {a, b});
}

Expr ExprContext::merge_constants(ExprKind kind, Expr a, Expr b) {
  if (b.kind() != kind || !b.operand(0).is_constant()) return make(kind, a.sort(), {a, b});
  const Bits* values[] = {&a.value(), &b.operand(0).value()};
  const Expr merged = constant(apply(kind, a.sort(), 0, values));
  return rebuild(b, std::vector<Expr>{merged, b.operand(1)});
}

Expr ExprContext::negation(Expr a) {
  CHECK(a.is_bits());
  if (a.kind() == ExprKind::negation) return a.operand(0);
  if (a.kind() == ExprKind::subtract) return subtract(a.operand(1), a.operand(0));
  return fold(ExprKind::negation, a.sort(), {a});
}

Expr ExprContext::complement(Expr a) {
  CHECK(a.is_bits());
  if (a.kind() == ExprKind::complement) return a.operand(0);
  return fold(ExprKind::complement, a.sort(), {a});
}

Expr ExprContext::add(Expr a, Expr b) {
  check_same_width(a, b);
  if (b.is_constant()) std::swap(a, b);
  if (is_zero(a)) return b;
  if (a.is_constant() && !b.is_constant()) return merge_constants(ExprKind::add, a, b);
  // Constants move outward, so that two sums which differ by a constant show it.
  if (a.kind() == ExprKind::add && a.operand(0).is_constant()) {
    return add(a.operand(0), add(a.operand(1), b));
  }
  if (b.kind() == ExprKind::add && b.operand(0).is_constant()) {
    return add(b.operand(0), add(a, b.operand(1)));
  }
  if (a.kind() == ExprKind::negation) return subtract(b, a.operand(0));
  if (b.kind() == ExprKind::negation) return subtract(a, b.operand(0));
  if (are_complements(a, b)) return constant(Bits::all_ones(a.width()));
  return commutative(ExprKind::add, a, b);
}

Expr ExprContext::subtract(Expr a, Expr b) {
  check_same_width(a, b);
  if (a == b) return constant(Bits(a.width()));
  if (b.is_constant()) return add(constant(smt::negate(b.value())), a);
  if (is_zero(a)) return negation(b);
  if (b.kind() == ExprKind::negation) return add(a, b.operand(0));
  if (a.kind() == ExprKind::add && a.operand(0).is_constant()) {
    return add(a.operand(0), subtract(a.operand(1), b));
  }
  if (b.kind() == ExprKind::add && b.operand(0).is_constant()) {
    return add(constant(smt::negate(b.operand(0).value())), subtract(a, b.operand(1)));
  }
  if (a.kind() == ExprKind::add && a.operand(1) == b) return a.operand(0);
  if (a.kind() == ExprKind::add && a.operand(0) == b) return a.operand(1);
  return fold(ExprKind::subtract, a.sort(), {a, b});
}

Expr ExprContext::multiply(Expr a, Expr b) {
  check_same_width(a, b);
  if (b.is_constant()) std::swap(a, b);
  if (is_zero(a)) return a;
  if (is_one(a)) return b;
  if (is_all_ones(a)) return negation(b);
  if (a.is_constant() && !b.is_constant()) return merge_constants(ExprKind::multiply, a, b);
  return commutative(ExprKind::multiply, a, b);
}

Expr ExprContext::udiv(Expr a, Expr b) {
  check_same_width(a, b);
  if (is_one(b)) return a;
  if (is_zero(b)) return constant(Bits::all_ones(a.width()));
  if (b.is_constant() && b.value().only_bit() < b.width()) {
    return lshr(a, constant(a.width(), b.value().only_bit()));
  }
  return fold(ExprKind::udiv, a.sort(), {a, b});
}

Expr ExprContext::urem(Expr a, Expr b) {
  check_same_width(a, b);
  if (is_one(b)) return constant(Bits(a.width()));
  if (is_zero(b)) return a;
  if (b.is_constant() && b.value().only_bit() < b.width()) {
    return zero_extend(extract(a, 0, b.value().only_bit()), a.width());
  }
  return fold(ExprKind::urem, a.sort(), {a, b});
}

Expr ExprContext::sdiv(Expr a, Expr b) {
  check_same_width(a, b);
  // At width 1 the constant 1 is -1.
  if (is_one(b) && b.width() > 1) return a;
  return fold(ExprKind::sdiv, a.sort(), {a, b});
}

Expr ExprContext::srem(Expr a, Expr b) {
  check_same_width(a, b);
  if (is_zero(b)) return a;
  if (is_one(b) || is_all_ones(b)) return constant(Bits(a.width()));
  return fold(ExprKind::srem, a.sort(), {a, b});
}

Expr ExprContext::bit_and(Expr a, Expr b) {
  check_same_width(a, b);
  if (b.is_constant()) std::swap(a, b);
  if (a == b || is_zero(a)) return a;
  if (is_all_ones(a)) return b;
  if (are_complements(a, b)) return constant(Bits(a.width()));
  if (a.is_constant() && !b.is_constant()) return merge_constants(ExprKind::bit_and, a, b);
  return commutative(ExprKind::bit_and, a, b);
}

Expr ExprContext::bit_or(Expr a, Expr b) {
  check_same_width(a, b);
  if (b.is_constant()) std::swap(a, b);
  if (a == b || is_all_ones(a)) return a;
  if (is_zero(a)) return b;
  if (are_complements(a, b)) return constant(Bits::all_ones(a.width()));
  if (a.is_constant() && !b.is_constant()) return merge_constants(ExprKind::bit_or, a, b);
  return commutative(ExprKind::bit_or, a, b);
}

Expr ExprContext::bit_xor(Expr a, Expr b) {
  check_same_width(a, b);
  if (b.is_constant()) std::swap(a, b);
  if (a == b) return constant(Bits(a.width()));
  if (is_zero(a)) return b;
  if (is_all_ones(a)) return complement(b);
  if (are_complements(a, b)) return constant(Bits::all_ones(a.width()));
  if (a.is_constant() && !b.is_constant()) return merge_constants(ExprKind::bit_xor, a, b);
  return commutative(ExprKind::bit_xor, a, b);
}

Expr ExprContext::shl(Expr a, Expr by) {
  check_same_width(a, by);
  if (is_zero(by) || is_zero(a)) return a;
  if (by.is_constant()) {
    const uint64_t amount = by.value().saturated();
    if (amount >= a.width()) return constant(Bits(a.width()));
    const auto zeros = static_cast<uint32_t>(amount);
    return concat(extract(a, 0, a.width() - zeros), constant(Bits(zeros)));
  }
  return fold(ExprKind::shl, a.sort(), {a, by});
}

Expr ExprContext::lshr(Expr a, Expr by) {
  check_same_width(a, by);
  if (is_zero(by) || is_zero(a)) return a;
  if (by.is_constant()) {
    const uint64_t amount = by.value().saturated();
    if (amount >= a.width()) return constant(Bits(a.width()));
    const auto low = static_cast<uint32_t>(amount);
    return zero_extend(extract(a, low, a.width() - low), a.width());
  }
  return fold(ExprKind::lshr, a.sort(), {a, by});
}

Expr ExprContext::ashr(Expr a, Expr by) {
  check_same_width(a, by);
  if (is_zero(by) || is_zero(a) || is_all_ones(a)) return a;
  if (by.is_constant()) {
    const uint64_t amount = std::min<uint64_t>(by.value().saturated(), a.width() - 1);
    const auto low = static_cast<uint32_t>(amount);
    return sign_extend(extract(a, low, a.width() - low), a.width());
  }
  return fold(ExprKind::ashr, a.sort(), {a, by});
}

}  // namespace foretell::smt

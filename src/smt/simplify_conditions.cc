// SPDX-License-Identifier: Apache-2.0

// Normal forms of comparisons, booleans and choices. See smt/expr_context.h.
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "base/check.h"
#include "smt/expr_context.h"

namespace foretell::smt {
namespace {

bool is_constant_zero(Expr e) {
  return e.is_constant() && e.value().is_zero();
}

bool are_extended_alike(Expr a, Expr b, ExprKind kind) {
  return a.kind() == kind && b.kind() == kind && a.operand(0).sort() == b.operand(0).sort();
}

}  // namespace

Expr ExprContext::equal(Expr a, Expr b) {
  CHECK(a.sort() == b.sort() && (a.is_boolean() || a.is_bits()));
  if (a == b) return boolean(true);
  if (b.is_constant()) std::swap(a, b);
  if (a.is_constant() && b.is_constant()) return boolean(false);
  if (a.is_constant()) return equal_to_constant(a, b);
  if (are_extended_alike(a, b, ExprKind::zero_extend) ||
      are_extended_alike(a, b, ExprKind::sign_extend)) {
    return equal(a.operand(0), b.operand(0));
  }
  // a == !b, of booleans, is one node with !(a == b).
  if (a.kind() == ExprKind::logical_not) return logical_not(equal(a.operand(0), b));
  if (b.kind() == ExprKind::logical_not) return logical_not(equal(a, b.operand(0)));
  if (structurally_before(b, a)) std::swap(a, b);
  return make(ExprKind::equal, Sort::boolean(), {a, b});
}

// `b` is not a constant.
Expr ExprContext::equal_to_constant(Expr constant_side, Expr b) {
  const Bits& c = constant_side.value();
  if (b.is_boolean()) return c.is_true() ? b : logical_not(b);
  if (b.kind() == ExprKind::complement) return equal(constant(smt::complement(c)), b.operand(0));
  if (b.kind() == ExprKind::negation) return equal(constant(smt::negate(c)), b.operand(0));
  if (b.kind() == ExprKind::add && b.operand(0).is_constant()) {
    return equal(constant(smt::subtract(c, b.operand(0).value())), b.operand(1));
  }
  if (b.kind() == ExprKind::bit_xor && b.operand(0).is_constant()) {
    return equal(constant(smt::bit_xor(c, b.operand(0).value())), b.operand(1));
  }
  if (b.kind() == ExprKind::subtract && c.is_zero()) return equal(b.operand(0), b.operand(1));
  if (b.kind() == ExprKind::zero_extend || b.kind() == ExprKind::sign_extend) {
    const uint32_t inner = b.operand(0).width();
    const Bits cut = smt::extract(c, 0, inner);
    const bool is_signed = b.kind() == ExprKind::sign_extend;
    const Bits again =
        is_signed ? smt::sign_extend(cut, c.width()) : smt::zero_extend(cut, c.width());
    return again == c ? equal(constant(cut), b.operand(0)) : boolean(false);
  }
  if (b.kind() == ExprKind::concat) {
    const uint32_t split = b.operand(1).width();
    return logical_and({equal(constant(smt::extract(c, split, c.width() - split)), b.operand(0)),
                        equal(constant(smt::extract(c, 0, split)), b.operand(1))});
  }
  if (b.kind() == ExprKind::ite && b.operand(1).is_constant() && b.operand(2).is_constant()) {
    if (b.operand(1) == constant_side) return b.operand(0);
    return b.operand(2) == constant_side ? logical_not(b.operand(0)) : boolean(false);
  }
  return make(ExprKind::equal, Sort::boolean(), {constant_side, b});
}

Expr ExprContext::ult(Expr a, Expr b) {
  CHECK(a.is_bits() && a.sort() == b.sort());
  if (a == b || is_constant_zero(b)) return boolean(false);
  if (a.is_constant() && a.value().is_all_ones()) return boolean(false);
  if (is_constant_zero(a)) return not_equal(a, b);
  if (b.is_constant() && b.value() == Bits(b.width(), 1))
    return equal(constant(Bits(a.width())), a);
  if (a.is_constant() && smt::add(a.value(), Bits(a.width(), 1)).is_all_ones()) {
    return equal(constant(Bits::all_ones(a.width())), b);
  }
  if (b.is_constant() && b.value().is_all_ones()) return not_equal(b, a);
  // Sign extension keeps the unsigned order, too.
  if (are_extended_alike(a, b, ExprKind::zero_extend) ||
      are_extended_alike(a, b, ExprKind::sign_extend)) {
    return ult(a.operand(0), b.operand(0));
  }
  if (a.kind() == ExprKind::zero_extend && b.is_constant()) {
    const uint32_t inner = a.operand(0).width();
    const Bits cut = smt::extract(b.value(), 0, inner);
    const bool fits = smt::zero_extend(cut, b.width()) == b.value();
    return fits ? ult(a.operand(0), constant(cut)) : boolean(true);
  }
  if (b.kind() == ExprKind::zero_extend && a.is_constant()) {
    const uint32_t inner = b.operand(0).width();
    const Bits cut = smt::extract(a.value(), 0, inner);
    const bool fits = smt::zero_extend(cut, a.width()) == a.value();
    return fits ? ult(constant(cut), b.operand(0)) : boolean(false);
  }
  return fold(ExprKind::ult, Sort::boolean(), {a, b});
}

Expr ExprContext::slt(Expr a, Expr b) {
  CHECK(a.is_bits() && a.sort() == b.sort());
  if (a == b) return boolean(false);
  if (are_extended_alike(a, b, ExprKind::sign_extend)) return slt(a.operand(0), b.operand(0));
  // Zero extensions are not negative.
  if (a.kind() == ExprKind::zero_extend && b.kind() == ExprKind::zero_extend) return ult(a, b);
  if (a.kind() == ExprKind::zero_extend && b.is_constant()) {
    return b.value().sign() ? boolean(false) : ult(a, b);
  }
  if (b.kind() == ExprKind::zero_extend && a.is_constant()) {
    return a.value().sign() ? boolean(true) : ult(a, b);
  }
  return fold(ExprKind::slt, Sort::boolean(), {a, b});
}

Expr ExprContext::before(Expr a, Expr b) {
  CHECK(a.sort() == Sort::place() && b.sort() == Sort::place());
  if (a == b) return boolean(false);
  return make(ExprKind::before, Sort::boolean(), {a, b});
}

Expr ExprContext::logical_not(Expr a) {
  CHECK(a.is_boolean());
  if (a.kind() == ExprKind::logical_not) return a.operand(0);
  return fold(ExprKind::logical_not, Sort::boolean(), {a});
}

Expr ExprContext::junction(ExprKind kind, std::span<const Expr> operands) {
  const bool is_and = kind == ExprKind::logical_and;
  std::vector<Expr> kept;
  auto is_known = [&, seen = absl::flat_hash_set<Expr>()](Expr e) mutable {
    if (operands.size() > 8) return !seen.insert(e).second;
    return std::ranges::find(kept, e) != kept.end();
  };
  for (Expr e : operands) {
    CHECK(e.is_boolean());
    if (e.is_constant()) {
      if (e.is_true() == is_and) continue;
      return e;
    }
    if (!is_known(e)) kept.push_back(e);
  }
  for (Expr e : kept) {
    if (e.kind() == ExprKind::logical_not && std::ranges::find(kept, e.operand(0)) != kept.end()) {
      return boolean(!is_and);
    }
  }
  if (kept.empty()) return boolean(is_and);
  if (kept.size() == 1) return kept[0];
  return intern({.kind = kind, .sort = Sort::boolean(), .operands = kept});
}

Expr ExprContext::logical_and(std::span<const Expr> operands) {
  return junction(ExprKind::logical_and, operands);
}

Expr ExprContext::logical_or(std::span<const Expr> operands) {
  return junction(ExprKind::logical_or, operands);
}

Expr ExprContext::ite(Expr condition, Expr then, Expr otherwise) {
  CHECK(condition.is_boolean() && then.sort() == otherwise.sort());
  CHECK(then.sort().kind != SortKind::place);
  if (condition.is_constant()) return condition.is_true() ? then : otherwise;
  if (condition.kind() == ExprKind::logical_not) return ite(condition.operand(0), otherwise, then);
  if (then.kind() == ExprKind::ite && then.operand(0) == condition) then = then.operand(1);
  if (otherwise.kind() == ExprKind::ite && otherwise.operand(0) == condition) {
    otherwise = otherwise.operand(2);
  }
  if (then == otherwise) return then;
  if (then.is_boolean()) return boolean_ite(condition, then, otherwise);
  return make(ExprKind::ite, then.sort(), {condition, then, otherwise});
}

Expr ExprContext::boolean_ite(Expr condition, Expr then, Expr otherwise) {
  if (then.is_true() || then == condition) return logical_or({condition, otherwise});
  if (then.is_false()) return logical_and({logical_not(condition), otherwise});
  if (otherwise.is_true()) return logical_or({logical_not(condition), then});
  if (otherwise.is_false() || otherwise == condition) return logical_and({condition, then});
  return make(ExprKind::ite, Sort::boolean(), {condition, then, otherwise});
}

}  // namespace foretell::smt

// SPDX-License-Identifier: Apache-2.0

#include "smt/operators.h"

#include <algorithm>

#include "base/check.h"

namespace foretell::smt {

Bits apply(ExprKind kind, Sort sort, uint32_t low, std::span<const Bits* const> operands) {
  auto a = [&]() -> const Bits& { return *operands[0]; };
  auto b = [&]() -> const Bits& { return *operands[1]; };
  auto is_true = [](const Bits* bits) { return bits->is_true(); };
  switch (kind) {
    case ExprKind::negation:
      return negate(a());
    case ExprKind::complement:
      return complement(a());
    case ExprKind::add:
      return add(a(), b());
    case ExprKind::subtract:
      return subtract(a(), b());
    case ExprKind::multiply:
      return multiply(a(), b());
    case ExprKind::udiv:
      return unsigned_divide(a(), b());
    case ExprKind::urem:
      return unsigned_remainder(a(), b());
    case ExprKind::sdiv:
      return signed_divide(a(), b());
    case ExprKind::srem:
      return signed_remainder(a(), b());
    case ExprKind::bit_and:
      return bit_and(a(), b());
    case ExprKind::bit_or:
      return bit_or(a(), b());
    case ExprKind::bit_xor:
      return bit_xor(a(), b());
    case ExprKind::shl:
      return shift_left(a(), b());
    case ExprKind::lshr:
      return logical_shift_right(a(), b());
    case ExprKind::ashr:
      return arithmetic_shift_right(a(), b());
    case ExprKind::concat:
      return concat(a(), b());
    case ExprKind::extract:
      return extract(a(), low, sort.width);
    case ExprKind::zero_extend:
      return zero_extend(a(), sort.width);
    case ExprKind::sign_extend:
      return sign_extend(a(), sort.width);
    case ExprKind::ult:
      return Bits::of(unsigned_less(a(), b()));
    case ExprKind::slt:
      return Bits::of(signed_less(a(), b()));
    case ExprKind::equal:
      return Bits::of(a() == b());
    case ExprKind::logical_not:
      return Bits::of(a().is_zero());
    case ExprKind::logical_and:
      return Bits::of(std::ranges::all_of(operands, is_true));
    case ExprKind::logical_or:
      return Bits::of(std::ranges::any_of(operands, is_true));
    case ExprKind::ite:
      return a().is_true() ? b() : *operands[2];
    case ExprKind::variable:
    case ExprKind::constant:
    case ExprKind::before:
    case ExprKind::constant_array:
    case ExprKind::select:
    case ExprKind::store:
      break;
  }
  CHECK(false);
  return Bits(1);
}

}  // namespace foretell::smt

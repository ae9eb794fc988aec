// SPDX-License-Identifier: Apache-2.0

#include "smt/bits.h"

#include <gtest/gtest.h>
#include <z3++.h>

#include <memory>

#include "unit/smt/random_expr.h"

namespace foretell::smt {
namespace {

z3::expr numeral(z3::context& context, const Bits& value) {
  const auto bits = std::make_unique<bool[]>(value.width());
  for (uint32_t i = 0; i < value.width(); ++i) bits[i] = value.bit(i);
  return context.bv_val(value.width(), bits.get());
}

// What Z3 computes, for every binary operator.
z3::expr by_z3(ExprKind kind, const z3::expr& a, const z3::expr& b) {
  switch (kind) {
    case ExprKind::add:
      return a + b;
    case ExprKind::subtract:
      return a - b;
    case ExprKind::multiply:
      return a * b;
    case ExprKind::udiv:
      return z3::udiv(a, b);
    case ExprKind::urem:
      return z3::urem(a, b);
    case ExprKind::sdiv:
      return a / b;
    case ExprKind::srem:
      return z3::srem(a, b);
    case ExprKind::bit_and:
      return a & b;
    case ExprKind::bit_or:
      return a | b;
    case ExprKind::bit_xor:
      return a ^ b;
    case ExprKind::shl:
      return z3::shl(a, b);
    case ExprKind::lshr:
      return z3::lshr(a, b);
    case ExprKind::ashr:
      return z3::ashr(a, b);
    case ExprKind::concat:
      return z3::concat(a, b);
    case ExprKind::ult:
      return z3::ult(a, b);
    case ExprKind::slt:
      return z3::slt(a, b);
    default:
      return a == b;
  }
}

constexpr ExprKind kBinary[] = {
    ExprKind::add,  ExprKind::subtract, ExprKind::multiply, ExprKind::udiv,   ExprKind::urem,
    ExprKind::sdiv, ExprKind::srem,     ExprKind::bit_and,  ExprKind::bit_or, ExprKind::bit_xor,
    ExprKind::shl,  ExprKind::lshr,     ExprKind::ashr,     ExprKind::concat, ExprKind::ult,
    ExprKind::slt,  ExprKind::equal};

class BitsAgainstZ3 : public testing::TestWithParam<uint32_t> {
 protected:
  void expect(const Bits& ours, const z3::expr& theirs, std::string_view what) {
    const z3::expr value = theirs.simplify();
    const z3::expr expected = value.is_bool() ? z3_.bool_val(ours.is_true()) : numeral(z3_, ours);
    EXPECT_TRUE(z3::eq(value, expected))
        << what << ": " << to_text(ours) << " but Z3 says " << value;
  }
  ExprContext context_;
  z3::context z3_;
};

TEST_P(BitsAgainstZ3, binary_operators) {
  const uint32_t width = GetParam();
  RandomExprs random(context_, width, 1, {width});
  for (int i = 0; i < 60; ++i) {
    // Zero now and then: division by it, and no shift.
    const Bits a = random.number(width),
               b = random.below(8) == 0 ? Bits(width) : random.number(width);
    for (ExprKind kind : kBinary) {
      const Bits* operands[] = {&a, &b};
      const Sort sort = Sort::bits(kind == ExprKind::concat ? 2 * width : width);
      expect(apply(kind, sort, 0, operands), by_z3(kind, numeral(z3_, a), numeral(z3_, b)),
             name_of(kind));
    }
  }
}

TEST_P(BitsAgainstZ3, unary_operators_and_pieces) {
  const uint32_t width = GetParam();
  RandomExprs random(context_, width, 1, {width});
  for (int i = 0; i < 60; ++i) {
    const Bits a = random.number(width);
    const z3::expr n = numeral(z3_, a);
    expect(negate(a), -n, "negate");
    expect(complement(a), ~n, "complement");
    const auto low = static_cast<uint32_t>(random.below(width));
    const auto part = static_cast<uint32_t>(1 + random.below(width - low));
    expect(extract(a, low, part), n.extract(low + part - 1, low), "extract");
    const auto more = static_cast<uint32_t>(random.below(70));
    expect(zero_extend(a, width + more), z3::zext(n, more), "zero_extend");
    expect(sign_extend(a, width + more), z3::sext(n, more), "sign_extend");
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, BitsAgainstZ3,
                         testing::Values(1, 2, 3, 7, 8, 16, 31, 32, 33, 63, 64, 65, 100, 128, 200));

TEST(Bits, division_by_zero_is_defined) {
  const Bits zero(8), five(8, 5), minus_five = negate(five);
  EXPECT_EQ(unsigned_divide(five, zero), Bits(8, 255));
  EXPECT_EQ(unsigned_remainder(five, zero), five);
  EXPECT_EQ(signed_divide(five, zero), Bits(8, 255));
  EXPECT_EQ(signed_divide(minus_five, zero), Bits(8, 1));
  EXPECT_EQ(signed_remainder(minus_five, zero), minus_five);
}

TEST(Bits, the_only_bit) {
  EXPECT_EQ(Bits(8, 16).only_bit(), 4u);
  EXPECT_EQ(Bits(8, 0).only_bit(), 8u);
  EXPECT_EQ(Bits(8, 3).only_bit(), 8u);
  EXPECT_EQ(concat(Bits(64, 1), Bits(64, 0)).only_bit(), 64u);
  EXPECT_EQ(concat(Bits(64, 1), Bits(64, 1)).only_bit(), 128u);
}

TEST(Bits, literals) {
  EXPECT_EQ(to_smtlib(Bits(8, 15)), "#x0f");
  EXPECT_EQ(to_smtlib(Bits(3, 5)), "#b101");
  EXPECT_EQ(to_text(Bits(8, 15)), "15");
  EXPECT_EQ(to_text(Bits(68, 15)), "#x0000000000000000f");
}

}  // namespace
}  // namespace foretell::smt

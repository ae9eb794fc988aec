// SPDX-License-Identifier: Apache-2.0

// Every rule of the constructors holds for all values: random expressions evaluate to what their
// recipe gives.
#include <gtest/gtest.h>

#include "smt/expr_context.h"
#include "smt/smtlib.h"
#include "unit/smt/random_expr.h"

namespace foretell::smt {
namespace {

class RandomSimplification : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomSimplification, keeps_the_value) {
  ExprContext context;
  RandomExprs random(context, GetParam(), 6, {1, 2, 4, 8, 16, 32, 64, 80});
  size_t constants = 0;
  for (int i = 0; i < 400; ++i) {
    const int depth = 1 + static_cast<int>(random.below(5));
    const Sampled e =
        random.below(2) == 0 ? random.condition(depth) : random.bits(random.width(), depth);
    constants += e.expr.is_constant();
    for (size_t m = 0; m < random.models().size(); ++m) {
      ASSERT_EQ(Evaluator(random.models()[m]).value_of(e.expr), e.values[m])
          << to_text(e.expr) << "\nunder " << random.models()[m].to_text();
    }
  }
  // The samples would show nothing if everything folded.
  EXPECT_LT(constants, 200u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSimplification, testing::Range<uint64_t>(1, 21));

// Narrow values meet the borders of every rule: all values of two variables of 1 to 3 bits.
TEST(SimplifyAll, small_expressions_are_right_for_all_values) {
  for (uint32_t width = 1; width <= 3; ++width) {
    for (uint64_t seed = 0; seed < 150; ++seed) {
      ExprContext context;
      RandomExprs random(context, seed, 1, {width});
      const Expr e = random.condition(3).expr;
      const Expr x = context.variable("x" + std::to_string(width), Sort::bits(width));
      // Substituting constants folds; evaluating does not simplify. They must agree.
      for (uint64_t value = 0; value < (1u << width); ++value) {
        Model model = random.models()[0];
        model.set(x, Bits(width, value));
        const Expr folded = context.substitute(e, {{x, context.constant(width, value)}});
        ASSERT_EQ(Evaluator(model).value_of(folded), Evaluator(model).value_of(e)) << to_text(e);
      }
    }
  }
}

class Simplify : public testing::Test {
 protected:
  Expr number(uint64_t value) { return c.constant(32, value); }
  ExprContext c;
  Expr x = c.variable("x", Sort::bits(32)), y = c.variable("y", Sort::bits(32));
  Expr byte = c.variable("byte", Sort::bits(8));
  Expr p = c.variable("p", Sort::boolean()), q = c.variable("q", Sort::boolean());
  Expr memory = c.variable("memory", Sort::array(32, 8));
};

TEST_F(Simplify, equal_structures_are_one_node) {
  EXPECT_EQ(c.add(x, y), c.add(y, x));
  EXPECT_EQ(c.subtract(x, number(1)), c.add(number(0xffffffff), x));
  EXPECT_NE(c.subtract(x, y), c.subtract(y, x));
}

TEST_F(Simplify, constants_of_sums_are_merged) {
  EXPECT_EQ(c.add(c.add(x, number(3)), number(4)), c.add(x, number(7)));
  EXPECT_EQ(c.subtract(c.add(x, number(3)), c.add(x, number(1))), number(2));
}

TEST_F(Simplify, a_word_stored_by_bytes_is_loaded_as_itself) {
  Expr written = memory;
  for (uint32_t i = 0; i < 4; ++i) {
    written = c.store(written, c.add(y, number(i)), c.extract(x, 8 * i, 8));
  }
  Expr loaded = c.select(written, y);
  for (uint32_t i = 1; i < 4; ++i)
    loaded = c.concat(c.select(written, c.add(y, number(i))), loaded);
  EXPECT_EQ(loaded, x);
}

TEST_F(Simplify, a_load_does_not_look_past_a_store_that_may_be_its_own) {
  const Expr loaded = c.select(c.store(memory, y, byte), x);
  EXPECT_EQ(loaded.kind(), ExprKind::select);
  EXPECT_EQ(loaded.operand(0).kind(), ExprKind::store);
}

TEST_F(Simplify, equations_with_constants_move_inward) {
  EXPECT_EQ(c.equal(number(10), c.add(x, number(3))), c.equal(x, number(7)));
  EXPECT_EQ(c.equal(c.zero_extend(byte, 32), number(7)), c.equal(byte, c.constant(8, 7)));
  EXPECT_TRUE(c.equal(c.zero_extend(byte, 32), number(300)).is_false());
  EXPECT_EQ(c.equal(c.ite(p, number(1), number(0)), number(1)), p);
  EXPECT_EQ(c.equal(c.ite(p, number(1), number(0)), number(0)), c.logical_not(p));
}

TEST_F(Simplify, a_condition_and_its_negation_share_a_node) {
  EXPECT_EQ(c.logical_not(c.ult(x, y)), c.ule(y, x));
  EXPECT_TRUE(c.logical_and({c.slt(x, y), c.sle(y, x)}).is_false());
  EXPECT_TRUE(c.logical_or({c.equal(x, y), c.not_equal(y, x)}).is_true());
}

TEST_F(Simplify, powers_of_two_need_no_division) {
  EXPECT_EQ(c.udiv(x, number(8)), c.lshr(x, number(3)));
  EXPECT_EQ(c.urem(x, number(8)), c.zero_extend(c.extract(x, 0, 3), 32));
}

TEST_F(Simplify, choices) {
  EXPECT_EQ(c.ite(c.logical_not(p), x, y), c.ite(p, y, x));
  EXPECT_EQ(c.ite(p, c.ite(p, x, y), y), c.ite(p, x, y));
  EXPECT_EQ(c.ite(p, q, c.boolean(false)), c.logical_and({p, q}));
}

TEST_F(Simplify, the_form_does_not_depend_on_what_the_context_held_before) {
  ExprContext other;
  const Expr other_y = other.variable("y", Sort::bits(32)),
             other_x = other.variable("x", Sort::bits(32));
  EXPECT_EQ(to_text(c.multiply(x, y)), to_text(other.multiply(other_x, other_y)));
  EXPECT_EQ(to_text(c.equal(y, x)), to_text(other.equal(other_x, other_y)));
}

TEST_F(Simplify, substitution_is_simultaneous) {
  const Expr swapped = c.substitute(c.subtract(x, y), {{x, y}, {y, x}});
  EXPECT_EQ(swapped, c.subtract(y, x));
  EXPECT_TRUE(c.substitute(c.ult(x, y), {{x, number(1)}, {y, number(2)}}).is_true());
}

TEST_F(Simplify, variables_are_found_once) {
  const Expr roots[] = {c.add(x, c.multiply(x, y)), c.equal(c.select(memory, x), byte)};
  EXPECT_EQ(variables_of(roots).size(), 4u);
}

TEST_F(Simplify, deep_expressions_do_not_overflow_the_stack) {
  Expr sum = x;
  for (int i = 0; i < 20'000; ++i) sum = c.bit_xor(c.multiply(number(3), sum), y);
  Model model;
  model.set(x, Bits(32, 1));
  uint32_t expected = 1;
  for (int i = 0; i < 20'000; ++i) expected *= 3;
  EXPECT_EQ(Evaluator(model).value_of(sum), Bits(32, expected));
  EXPECT_EQ(to_text(sum, 100).size(), 103u);
  EXPECT_TRUE(c.substitute(sum, {{x, number(1)}, {y, number(0)}}).is_constant());
}

TEST_F(Simplify, readable_text) {
  EXPECT_EQ(to_text(c.ule(c.add(x, number(1)), y)), "((1 + x) <=u y)");
  EXPECT_EQ(to_text(c.not_equal(c.extract(x, 8, 8), c.constant(8, 2))), "(2 != x[15:8])");
  EXPECT_EQ(to_text(c.select(c.store(memory, x, byte), y)), "memory{x := byte}[y]");
  EXPECT_EQ(to_text(c.ite(p, c.sign_extend(byte, 32), x)), "(p ? sext32(byte) : x)");
  EXPECT_EQ(to_text(c.logical_or({c.logical_not(p), q})), "(!p || q)");
}

}  // namespace
}  // namespace foretell::smt

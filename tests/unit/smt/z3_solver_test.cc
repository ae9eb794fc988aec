#include "smt/z3_solver.h"

#include <gtest/gtest.h>

#include "unit/smt/random_expr.h"

namespace foretell::smt {
namespace {

// The variables of a random expression are given their sampled values by constraints; then the
// expression must have its sampled value and no other. Arrays are given their elements at all
// sampled places.
std::vector<Expr> pinned(ExprContext& c, const Model& model, Expr e) {
  std::vector<Expr> constraints;
  for (Expr v : variables_of({&e, 1})) {
    const Value value = model.value_of(v);
    if (v.is_boolean()) {
      constraints.push_back(c.equal(v, c.boolean(std::get<Bits>(value).is_true())));
    } else if (v.is_bits()) {
      constraints.push_back(c.equal(v, c.constant(std::get<Bits>(value))));
    } else {
      for (uint64_t i = 0; i < 256; ++i) {
        const Bits element = std::get<ArrayValue>(value).at(Bits(8, i));
        constraints.push_back(c.equal(c.select(v, c.constant(8, i)), c.constant(element)));
      }
    }
  }
  return constraints;
}

Expr value_expr(ExprContext& c, Expr e, const Bits& value) {
  return e.is_boolean() ? c.boolean(value.is_true()) : c.constant(value);
}

class RandomExprAgainstZ3 : public testing::TestWithParam<std::tuple<uint64_t, Z3Use>> {};

TEST_P(RandomExprAgainstZ3, evaluates_to_the_same) {
  ExprContext c;
  const auto [seed, use] = GetParam();
  RandomExprs random(c, seed, 1, {1, 3, 8, 16, 32, 64, 72});
  Z3Solver solver(use);
  for (int i = 0; i < 60; ++i) {
    const Sampled e = random.below(3) == 0 ? random.condition(3) : random.bits(random.width(), 3);
    Query query{"pin the variables", pinned(c, random.models()[0], e.expr)};
    const Expr is_value = c.equal(e.expr, value_expr(c, e.expr, e.values[0]));
    query.constraints.push_back(is_value);
    const Outcome same = solver.check(query);
    ASSERT_EQ(same.kind, OutcomeKind::sat) << to_text(e.values[0]);
    EXPECT_TRUE(Evaluator(same.model).all_true(query.constraints));
    query.constraints.back() = c.logical_not(is_value);
    ASSERT_EQ(solver.check(query).kind, OutcomeKind::unsat);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomExprAgainstZ3,
                         testing::Combine(testing::Range<uint64_t>(1, 6),
                                          testing::Values(Z3Use::fresh, Z3Use::incremental)));

class Z3SolverTest : public testing::Test {
 protected:
  Expr number(uint64_t value) { return c.constant(32, value); }
  // x * y == 2^61 - 1 with both greater than 1: a prime, so unsat, and hard to see.
  std::vector<Expr> hard() {
    const Expr wide_x = c.zero_extend(x, 64), wide_y = c.zero_extend(y, 64);
    return {c.ult(number(1), x), c.ult(number(1), y),
            c.equal(c.multiply(wide_x, wide_y), c.constant(64, 2305843009213693951))};
  }
  ExprContext c;
  Expr x = c.variable("x", Sort::bits(32)), y = c.variable("y", Sort::bits(32));
};

TEST_F(Z3SolverTest, nothing_is_satisfiable) {
  EXPECT_EQ(Z3Solver(Z3Use::fresh).check({"nothing", {}}).kind, OutcomeKind::sat);
  EXPECT_EQ(Z3Solver(Z3Use::incremental).check({"nothing", {}}).kind, OutcomeKind::sat);
}

TEST_F(Z3SolverTest, the_limit_is_a_timeout_and_never_unsat) {
  for (Z3Use use : {Z3Use::fresh, Z3Use::incremental}) {
    Z3Solver solver(use);
    const Outcome outcome = solver.check({"factor", hard(), ModelWanted::any, StepLimit{20'000}});
    EXPECT_EQ(outcome.kind, OutcomeKind::timeout) << outcome.reason;
    EXPECT_FALSE(outcome.reason.empty());
    // The solver is as good as before.
    EXPECT_EQ(solver.check({"easy", {c.ult(x, y)}}).kind, OutcomeKind::sat);
    EXPECT_EQ(solver.check({"easy", {c.ult(x, y), c.ult(y, x)}}).kind, OutcomeKind::unsat);
  }
}

TEST_F(Z3SolverTest, the_limit_counts_steps_so_it_is_repeatable) {
  const Query query{"factor", hard(), ModelWanted::any, StepLimit{20'000}};
  const Outcome first = Z3Solver(Z3Use::fresh).check(query);
  EXPECT_EQ(Z3Solver(Z3Use::fresh).check(query).kind, first.kind);
}

TEST_F(Z3SolverTest, common_prefixes_stay_asserted) {
  Z3Solver solver(Z3Use::incremental);
  const Expr first = c.ult(x, number(100)), second = c.ult(y, x), third = c.ult(number(7), y);
  solver.check({"first", {first, second}});
  solver.check({"second", {first, second, third}});
  solver.check({"third", {first, c.logical_not(second)}});
  EXPECT_EQ(solver.statistics().pushed, 4u);
  EXPECT_EQ(solver.statistics().kept, 3u);
}

TEST_F(Z3SolverTest, places_are_ordered) {
  const Expr a = c.variable("a", Sort::place()), b = c.variable("b", Sort::place());
  for (Z3Use use : {Z3Use::fresh, Z3Use::incremental}) {
    Z3Solver solver(use);
    const std::vector<Expr> order{c.before(a, b), c.equal(x, number(3))};
    const Outcome outcome = solver.check({"order", order});
    ASSERT_EQ(outcome.kind, OutcomeKind::sat);
    EXPECT_TRUE(Evaluator(outcome.model).all_true(order));
    EXPECT_EQ(solver.check({"cycle", {c.before(a, b), c.before(b, a)}}).kind, OutcomeKind::unsat);
  }
}

TEST_F(Z3SolverTest, array_models_have_what_was_read) {
  const Expr memory = c.variable("memory", Sort::array(32, 32));
  const std::vector<Expr> constraints{c.equal(c.select(memory, x), number(5)),
                                      c.equal(c.select(memory, c.select(memory, x)), number(9)),
                                      c.equal(x, number(70))};
  const Outcome outcome = Z3Solver(Z3Use::incremental).check({"read", constraints});
  ASSERT_EQ(outcome.kind, OutcomeKind::sat);
  EXPECT_EQ(outcome.model.to_text(), "memory = [5: 9, 70: 5, else: 0], x = 70");
}

}  // namespace
}  // namespace foretell::smt

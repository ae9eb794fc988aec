// SPDX-License-Identifier: Apache-2.0

#include "smt/validating_solver.h"

#include <gtest/gtest.h>

#include "smt/expr_context.h"
#include "smt/z3_solver.h"

namespace foretell::smt {
namespace {

// Says the same to everything.
class LyingSolver : public Solver {
 public:
  explicit LyingSolver(Outcome lie) : lie_(std::move(lie)) {}
  Outcome check(const Query&) override { return lie_; }

 private:
  Outcome lie_;
};

class Validation : public testing::Test {
 protected:
  ExprContext c;
  Expr x = c.variable("x", Sort::bits(8));
  Expr seven = c.equal(x, c.constant(8, 7)), small = c.ult(x, c.constant(8, 5));
  Z3Solver z3{Z3Use::fresh};
};

TEST_F(Validation, a_wrong_model_becomes_unknown) {
  Model wrong;
  wrong.set(x, Bits(8, 8));
  LyingSolver liar(Outcome::sat(wrong));
  ValidatingSolver validator(liar);
  const Outcome outcome = validator.check({"is x seven", {seven}});
  EXPECT_EQ(outcome.kind, OutcomeKind::unknown);
  EXPECT_EQ(outcome.reason, "is x seven: the model violates a constraint");
  EXPECT_EQ(validator.failures().size(), 1u);
}

TEST_F(Validation, a_wrong_sat_is_caught_even_if_nobody_wants_the_model) {
  LyingSolver liar(Outcome::sat({}));
  ValidatingSolver validator(liar);
  EXPECT_EQ(validator.check({"a", {seven, small}, ModelWanted::none}).kind, OutcomeKind::unknown);
}

TEST_F(Validation, a_wrong_unsat_becomes_unknown) {
  LyingSolver liar(Outcome::unsat());
  ValidatingSolver validator(liar, &z3);
  EXPECT_EQ(validator.check({"a", {seven}}).kind, OutcomeKind::unknown);
  EXPECT_EQ(validator.failures().size(), 1u);
  EXPECT_EQ(validator.check({"b", {seven, small}}).kind, OutcomeKind::unsat);
  EXPECT_EQ(validator.statistics().unsat_confirmed, 1u);
}

TEST_F(Validation, a_second_solver_that_gives_up_or_lies_does_not_overrule) {
  for (const Outcome& answer : {Outcome::timeout("steps"), Outcome::sat({})}) {
    LyingSolver second(answer);
    ValidatingSolver validator(z3, &second);
    EXPECT_EQ(validator.check({"a", {seven, small}}).kind, OutcomeKind::unsat);
    EXPECT_EQ(validator.statistics().unsat_unconfirmed, 1u);
    EXPECT_TRUE(validator.failures().empty());
  }
}

TEST_F(Validation, right_answers_pass) {
  ValidatingSolver validator(z3, &z3);
  EXPECT_EQ(validator.check({"a", {seven}}).model.to_text(), "x = 7");
  EXPECT_EQ(validator.check({"a", {seven}, ModelWanted::none}).model.size(), 0u);
  EXPECT_EQ(validator.statistics().models_checked, 2u);
}

}  // namespace
}  // namespace foretell::smt

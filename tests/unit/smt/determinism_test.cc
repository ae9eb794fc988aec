// What smt/solver.h promises about histories.
#include <gtest/gtest.h>

#include "smt/solver_chain.h"
#include "unit/smt/random_expr.h"

namespace foretell::smt {
namespace {

std::unique_ptr<SolverChain> default_chain() {
  return std::move(SolverChain::create({})).value();
}

// The constraints of a query, made in a context of their own after `before` other expressions.
struct Setting {
  explicit Setting(uint64_t seed, int before) {
    RandomExprs noise(context, seed + 1000, 1, {8, 16});
    for (int i = 0; i < before; ++i) others.push_back(noise.condition(3).expr);
    RandomExprs random(context, seed, 1, {8, 16});
    for (int i = 0; i < 3; ++i) constraints.push_back(random.condition(2).expr);
  }
  ExprContext context;
  std::vector<Expr> others, constraints;
};

TEST(Determinism, a_canonical_model_does_not_depend_on_history) {
  size_t models = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Setting fresh(seed, 0), used(seed, 20);
    const Outcome expected =
        default_chain()->check({"canonical", fresh.constraints, ModelWanted::canonical});
    auto chain = default_chain();
    for (Expr other : used.others) chain->check({"noise", {other}});
    for (Expr part : used.constraints) chain->check({"part", {part, used.others[0]}});
    chain->check({"the same", used.constraints});
    // The order of the constraints is history, too.
    std::ranges::reverse(used.constraints);
    const Outcome outcome = chain->check({"canonical", used.constraints, ModelWanted::canonical});
    ASSERT_EQ(outcome.kind, expected.kind);
    ASSERT_EQ(outcome.model.to_text(), expected.model.to_text());
    models += expected.model.size() > 0;
  }
  EXPECT_GT(models, 5u);
}

TEST(Determinism, the_same_queries_give_the_same_answers) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    std::vector<std::string> answers[2];
    for (auto& list : answers) {
      Setting setting(seed, 15);
      auto chain = default_chain();
      for (Expr other : setting.others) {
        std::vector<Expr> path = setting.constraints;
        path.push_back(other);
        const Outcome outcome = chain->check({"any", path, ModelWanted::any, StepLimit{50'000}});
        list.push_back(std::string(name_of(outcome.kind)) + " " + outcome.model.to_text());
      }
    }
    ASSERT_EQ(answers[0], answers[1]);
  }
}

}  // namespace
}  // namespace foretell::smt

// SPDX-License-Identifier: Apache-2.0

#include "smt/solver_chain.h"

#include <gtest/gtest.h>

#include "smt/cache_solver.h"
#include "smt/independence_solver.h"
#include "unit/smt/random_expr.h"

namespace foretell::smt {
namespace {

std::unique_ptr<SolverChain> chain_of(const ChainOptions& options) {
  return std::move(SolverChain::create(options)).value();
}

// Queries as a search along paths asks them: prefixes grow, are cut, and branch.
class PathQueries {
 public:
  PathQueries(ExprContext& context, uint64_t seed)
      : context_(context), random_(context, seed, 1, {4, 8}) {}

  Query next() {
    if (path_.size() > 6 || random_.below(4) == 0)
      path_.resize(random_.below(path_.size() + 1), path_[0]);
    Expr condition = random_.condition(2).expr;
    if (random_.below(2) == 0) condition = context_.logical_not(condition);
    path_.push_back(condition);
    Query query{"branch", path_};
    query.model = static_cast<ModelWanted>(random_.below(3));
    if (random_.below(3) == 0) std::ranges::reverse(query.constraints);
    return query;
  }
  // A search does not follow what cannot be.
  void drop_last() { path_.pop_back(); }

 private:
  ExprContext& context_;
  RandomExprs random_;
  std::vector<Expr> path_{context_.boolean(true)};
};

class RandomChains : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomChains, every_set_of_layers_gives_the_same_outcomes) {
  ExprContext c;
  Z3Solver alone(Z3Use::fresh);
  std::vector<std::unique_ptr<SolverChain>> chains;
  for (Z3Use use : {Z3Use::incremental, Z3Use::fresh}) {
    chains.push_back(chain_of({.independence = true, .cache = true, .z3 = use}));
  }
  chains.push_back(chain_of({.independence = false, .cache = true}));
  chains.push_back(chain_of({.independence = true, .cache = false}));
  chains.push_back(chain_of({.independence = false, .cache = false}));
  PathQueries queries(c, GetParam());
  size_t sat = 0, unsat = 0;
  for (int i = 0; i < 40; ++i) {
    const Query query = queries.next();
    const OutcomeKind expected = alone.check(query).kind;
    ++(expected == OutcomeKind::sat ? sat : unsat);
    for (auto& chain : chains) {
      const Outcome outcome = chain->check(query);
      ASSERT_EQ(outcome.kind, expected) << outcome.reason;
      if (expected == OutcomeKind::sat && query.model != ModelWanted::none) {
        ASSERT_TRUE(Evaluator(outcome.model).all_true(query.constraints));
      }
    }
    if (expected == OutcomeKind::unsat) queries.drop_last();
  }
  EXPECT_GT(sat, 8u);
  EXPECT_GT(unsat, 2u);
  for (auto& chain : chains) EXPECT_TRUE(chain->failures().empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomChains, testing::Range<uint64_t>(1, 7));

// Answers as told, and counts.
class ScriptedSolver : public Solver {
 public:
  explicit ScriptedSolver(Outcome answer) : answer_(std::move(answer)) {}
  Outcome check(const Query& query) override {
    asked.push_back(query);
    return answer_;
  }
  std::vector<Query> asked;

 private:
  Outcome answer_;
};

class Layers : public testing::Test {
 protected:
  ExprContext c;
  Expr x = c.variable("x", Sort::bits(8)), y = c.variable("y", Sort::bits(8));
  Expr small = c.ult(x, c.constant(8, 10)), odd = c.equal(c.extract(x, 0, 1), c.constant(1, 1));
  Expr y_small = c.ult(y, c.constant(8, 10));
  Model nine() {
    Model model;
    model.set(x, Bits(8, 9));
    return model;
  }
};

TEST_F(Layers, cache_knows_the_set_in_any_order) {
  ScriptedSolver z3(Outcome::sat(nine()));
  CacheSolver cache(z3);
  cache.check({"a", {small, odd}});
  EXPECT_EQ(cache.check({"b", {odd, small, odd}}).model, nine());
  EXPECT_EQ(z3.asked.size(), 1u);
  EXPECT_EQ(cache.statistics().exact, 1u);
}

TEST_F(Layers, cache_superset_of_unsat_is_unsat) {
  ScriptedSolver z3(Outcome::unsat());
  CacheSolver cache(z3);
  cache.check({"a", {small, odd}});
  EXPECT_EQ(cache.check({"b", {small, y_small, odd}}).kind, OutcomeKind::unsat);
  EXPECT_EQ(cache.statistics().superset, 1u);
  // A part of it is another question.
  cache.check({"c", {small}});
  EXPECT_EQ(z3.asked.size(), 2u);
}

TEST_F(Layers, cache_subset_of_sat_is_sat_by_its_model) {
  ScriptedSolver z3(Outcome::sat(nine()));
  CacheSolver cache(z3);
  cache.check({"a", {small, odd}});
  EXPECT_EQ(cache.check({"b", {odd}}).model, nine());
  EXPECT_EQ(cache.statistics().subset, 1u);
  // 9 is not 10, too.
  EXPECT_EQ(cache.check({"c", {odd, c.not_equal(x, c.constant(8, 10))}}).model, nine());
  EXPECT_EQ(cache.statistics().model, 1u);
}

TEST_F(Layers, cache_gives_no_model_of_another_query_as_canonical) {
  ScriptedSolver z3(Outcome::sat(nine()));
  CacheSolver cache(z3);
  cache.check({"a", {small, odd}});
  cache.check({"b", {odd}, ModelWanted::canonical});
  cache.check({"a", {small, odd}, ModelWanted::canonical});
  EXPECT_EQ(z3.asked.size(), 3u);
  cache.check({"a again", {small, odd}, ModelWanted::canonical});
  EXPECT_EQ(z3.asked.size(), 3u);
}

TEST_F(Layers, cache_asks_again_with_a_larger_limit) {
  ScriptedSolver z3(Outcome::timeout("steps"));
  CacheSolver cache(z3);
  const auto ask = [&](uint32_t limit) {
    return cache.check({"a", {odd}, ModelWanted::any, StepLimit{limit}});
  };
  EXPECT_EQ(ask(100).kind, OutcomeKind::timeout);
  EXPECT_EQ(ask(50).kind, OutcomeKind::timeout);
  EXPECT_EQ(z3.asked.size(), 1u);
  ask(200);
  ask(0);
  EXPECT_EQ(z3.asked.size(), 3u);
}

TEST_F(Layers, a_give_up_is_never_taken_for_unsat) {
  ScriptedSolver z3(Outcome::unknown("incomplete"));
  CacheSolver cache(z3);
  IndependenceSolver independence(cache);
  EXPECT_EQ(independence.check({"a", {odd, y_small}}).kind, OutcomeKind::unknown);
  EXPECT_EQ(independence.check({"b", {odd, y_small, small}}).reason, "incomplete");
}

TEST_F(Layers, independence_asks_for_groups_in_path_order) {
  ScriptedSolver z3(Outcome::sat({}));
  IndependenceSolver independence(z3);
  independence.check({"a", {small, y_small, odd}});
  ASSERT_EQ(z3.asked.size(), 2u);
  EXPECT_EQ(z3.asked[0].constraints, std::vector<Expr>{y_small});
  EXPECT_EQ(z3.asked[1].constraints, (std::vector<Expr>{small, odd}));
}

TEST_F(Layers, the_chain_counts_every_layer) {
  auto chain = chain_of({});
  chain->check({"a", {small, y_small}});
  chain->check({"b", {small, y_small, odd}});
  const std::vector<LayerStatistics> rows = chain->statistics();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].layer, "validate");
  EXPECT_EQ(rows[0].count(OutcomeKind::sat), 2u);
  EXPECT_EQ(rows[2].layer, "cache");
  EXPECT_EQ(rows[2].queries, 4u);
  EXPECT_EQ(rows[3].layer, "z3");
  EXPECT_LT(rows[3].queries, 4u);
  EXPECT_NE(chain->statistics_text().find("independence"), std::string::npos);
}

TEST_F(Layers, the_chain_s_limit_holds_for_queries_without_one) {
  auto chain = chain_of({.limit = StepLimit{1}});
  const Expr hard = c.equal(
      c.multiply(c.zero_extend(x, 64),
                 c.multiply(c.variable("u", Sort::bits(64)), c.variable("v", Sort::bits(64)))),
      c.constant(64, 2305843009213693951));
  EXPECT_EQ(chain->check({"hard", {hard}}).kind, OutcomeKind::timeout);
}

}  // namespace
}  // namespace foretell::smt

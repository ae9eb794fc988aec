// SPDX-License-Identifier: Apache-2.0

// Schedules, their database, and the selection of one.

#include <gtest/gtest.h>

#include <random>

#include "smt/model.h"
#include "symbolic/schedules/database.h"
#include "symbolic/schedules/expr_text.h"
#include "symbolic/selectors/decision_tree.h"

namespace foretell::symbolic {
namespace {

using smt::Expr;

TEST(Schedule, EdgesThatFollowFromOthersAreRemoved) {
  Schedule schedule;
  schedule.threads.resize(3);
  schedule.threads[0] = {{.kind = NodeKind::post}};
  schedule.threads[1] = {{.kind = NodeKind::down, .after = {{0, 0}}}, {.kind = NodeKind::post}};
  schedule.threads[2] = {{.kind = NodeKind::down, .after = {{1, 1}, {0, 0}}}};
  reduce(schedule, {{0, 0}, {1, 0}, {1, 1}, {2, 0}});
  EXPECT_EQ(schedule.threads[1][0].after, (std::vector<NodePlace>{{0, 0}}));
  EXPECT_EQ(schedule.threads[2][0].after, (std::vector<NodePlace>{{1, 1}}));
}

TEST(ExprText, ConditionsReadLikeC) {
  smt::ExprContext c;
  const Expr x = c.variable("x", smt::Sort::bits(32));
  EXPECT_EQ(c_text(c.equal(x, c.constant(32, 0))), "x == 0");
  EXPECT_EQ(c_text(c.not_equal(x, c.constant(32, 0xffffffff))), "x != -1");
  EXPECT_EQ(c_text(c.slt(c.constant(32, 5), x)), "x > 5");
  EXPECT_EQ(c_text(c.sle(x, c.constant(32, 5))), "x <= 5");
  EXPECT_EQ(c_text(std::vector<Expr>{}), "always");
}

Cover small_cover(smt::ExprContext& c) {
  Inputs inputs(c);
  const Expr x = inputs.find(InputKind::argument_number, 1);
  const Expr is_zero = c.equal(x, c.constant(32, 0)), is_small = c.slt(x, c.constant(32, 9));
  Cover cover{.threads = 2, .is_complete = true, .inputs = inputs.all()};
  EpochCover epoch{.name = "entry"};
  for (const auto& conditions :
       {std::vector{is_zero}, std::vector{c.logical_not(is_zero), is_small},
        std::vector{c.logical_not(is_zero), c.logical_not(is_small)}}) {
    Schedule schedule{.threads = {{{.instruction = static_cast<uint32_t>(epoch.order.size())}}}};
    epoch.order.emplace_back(static_cast<uint32_t>(epoch.order.size()), 0);
    epoch.schedules.push_back({schedule, {{conditions, {{"atoi(argv[1])", 7}}}}});
  }
  cover.epochs.push_back(epoch);
  return cover;
}

TEST(Database, ACoverComesBackAsItWas) {
  smt::ExprContext c, other;
  const Cover cover = small_cover(c);
  const std::string text = cover_json(cover);
  const auto back = read_cover(text, "db", other);
  ASSERT_TRUE(back.has_value()) << back.error().to_text();
  EXPECT_EQ(cover_json(*back), text);
}

TEST(Database, DamageIsNoticed) {
  smt::ExprContext c;
  EXPECT_FALSE(read_cover("{", "db", c).has_value());
  EXPECT_FALSE(read_cover("{\"version\": 99}", "db", c).has_value());
  EXPECT_FALSE(
      read_cover("{\"version\": 1, \"expressions\": [[\"add\", 32, 0, 1]]}", "db", c).has_value());
}

TEST(Database, ACutOffLineOfTheJournalDoesNotCount) {
  const std::string line = journal_line({.inputs = {{"argc", 2}}, .may_fail = true});
  const auto entries = read_journal(line + line.substr(0, 5), "journal");
  ASSERT_TRUE(entries.has_value());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_TRUE((*entries)[0].may_fail);
  EXPECT_EQ((*entries)[0].inputs.at("argc"), 2u);
}

// The tree selects what going through the constraints in their order selects.
TEST(DecisionTree, SelectsTheFirstConstraintThatHolds) {
  smt::ExprContext c;
  std::mt19937 random(3);
  std::vector<Expr> atoms;
  for (const char* name : {"a", "b", "c", "d"})
    atoms.push_back(c.variable(name, smt::Sort::boolean()));
  for (int round = 0; round < 200; round++) {
    EpochCover epoch;
    for (uint32_t s = 0; s < 5; s++) {
      std::vector<Expr> conditions;
      for (Expr atom : atoms)
        if (random() % 2) conditions.push_back(random() % 2 ? atom : c.logical_not(atom));
      epoch.schedules.push_back({{}, {{conditions, {}}}});
      epoch.order.emplace_back(s, 0);
    }
    const DecisionTree tree = decision_tree(epoch);
    for (unsigned bits = 0; bits < 16; bits++) {
      smt::Model model;
      for (size_t i = 0; i < atoms.size(); i++) model.set(atoms[i], smt::Bits(1, bits >> i & 1));
      smt::Evaluator values(model);
      int32_t expected = DecisionTree::kMiss;
      for (uint32_t s = 5; s-- > 0;)
        if (values.all_true(epoch.schedules[s].alternatives[0].conditions))
          expected = static_cast<int32_t>(s);
      int32_t at = tree.root;
      while (at >= 0) {
        const DecisionTree::Question& question = tree.questions[static_cast<size_t>(at)];
        at = values.is_true(question.condition) ? question.yes : question.no;
      }
      EXPECT_EQ(tree.leaves[static_cast<size_t>(~at)], expected);
    }
  }
}

}  // namespace
}  // namespace foretell::symbolic

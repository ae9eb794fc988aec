// SPDX-License-Identifier: Apache-2.0

#include "symbolic/selectors/decision_tree.h"

#include <algorithm>

namespace foretell::symbolic {
namespace {

using smt::Expr;
using smt::ExprKind;

struct Literal {
  Expr condition;
  bool holds;
};

Literal literal_of(Expr condition) {
  if (condition.kind() == ExprKind::logical_not) return {condition.operand(0), false};
  return {condition, true};
}

struct Candidate {
  int32_t schedule;
  std::vector<Literal> open;
};

class Builder {
 public:
  explicit Builder(DecisionTree& tree) : tree_(tree) {}

  int32_t build(const std::vector<Candidate>& candidates) {
    if (candidates.empty()) return leaf(DecisionTree::kMiss);
    if (candidates[0].open.empty()) return leaf(candidates[0].schedule);
    const Expr condition = candidates[0].open[0].condition;
    const auto number_of = static_cast<int32_t>(tree_.questions.size());
    tree_.questions.push_back({condition});
    const int32_t yes = build(after(candidates, condition, true));
    const int32_t no = build(after(candidates, condition, false));
    tree_.questions[static_cast<size_t>(number_of)].yes = yes;
    tree_.questions[static_cast<size_t>(number_of)].no = no;
    return number_of;
  }

 private:
  int32_t leaf(int32_t schedule) {
    tree_.leaves.push_back(schedule);
    return ~static_cast<int32_t>(tree_.leaves.size() - 1);
  }

  static std::vector<Candidate> after(const std::vector<Candidate>& candidates, Expr condition,
                                      bool holds) {
    std::vector<Candidate> left;
    for (const Candidate& candidate : candidates) {
      Candidate next{candidate.schedule, {}};
      bool is_out = false;
      for (const Literal& literal : candidate.open) {
        if (literal.condition != condition)
          next.open.push_back(literal);
        else
          is_out |= literal.holds != holds;
      }
      if (is_out) continue;
      const bool decides = next.open.empty();
      left.push_back(std::move(next));
      // Nothing behind it can be selected.
      if (decides) break;
    }
    return left;
  }

  DecisionTree& tree_;
};

}  // namespace

DecisionTree decision_tree(const EpochCover& epoch) {
  std::vector<Candidate> candidates;
  for (const auto& [schedule, alternative] : epoch.order) {
    Candidate candidate{static_cast<int32_t>(schedule), {}};
    for (Expr condition : epoch.schedules[schedule].alternatives[alternative].conditions)
      candidate.open.push_back(literal_of(condition));
    candidates.push_back(std::move(candidate));
  }
  DecisionTree tree;
  tree.root = Builder(tree).build(candidates);
  return tree;
}

}  // namespace foretell::symbolic

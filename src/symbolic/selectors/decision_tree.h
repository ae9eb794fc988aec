// SPDX-License-Identifier: Apache-2.0

// DecisionTree: which schedule an input selects, by asking one condition after the other (COVER 6.2).
//
// The first constraint in the cover's order that has no open condition decides. Until then its first
// open condition is asked: where it holds it is struck off everywhere, where not every constraint that
// has it is out. A condition and its negation are one question.
#pragma once

#include <cstdint>
#include <vector>

#include "smt/expr.h"
#include "symbolic/schedules/cover.h"

namespace foretell::symbolic {

struct DecisionTree {
  static constexpr int32_t kMiss = -1;
  struct Question {
    smt::Expr condition;
    // The number of the next question, or ~n for leaf n.
    int32_t yes = 0, no = 0;
  };
  std::vector<Question> questions;
  std::vector<int32_t> leaves;  // schedules, or kMiss
  int32_t root = 0;
};

DecisionTree decision_tree(const EpochCover& epoch);

}  // namespace foretell::symbolic

// SPDX-License-Identifier: Apache-2.0

// IndependenceSolver: constraints that share no variable, not even through others, are separate
// questions.
//
// All groups must be sat, and their models are put side by side; one unsat group settles the query.
// A branch then costs only its own group, and the cache below answers the groups that did not
// change. Groups are formed from variables: two reads of one array count as related even at
// different indexes.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "smt/solver.h"

namespace foretell::smt {

class IndependenceSolver : public Solver {
 public:
  explicit IndependenceSolver(Solver& next) : next_(next) {}
  Outcome check(const Query& query) override;

 private:
  struct Group {
    std::vector<Expr> constraints;  // in the query's order
    std::vector<Expr> variables;
  };
  std::vector<Group> groups_of(const Query& query);
  const std::vector<Expr>& variables_in(Expr constraint);

  Solver& next_;
  absl::flat_hash_map<Expr, std::vector<Expr>> variables_;
};

}  // namespace foretell::smt

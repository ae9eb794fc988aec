// SPDX-License-Identifier: Apache-2.0

#include "smt/order_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "smt/z3_solver.h"

namespace foretell::smt {

OrderSolver::OrderSolver(size_t items) {
  for (size_t i = 0; i < items; ++i) {
    places_.push_back(context_.variable(fmt::format("t{}", i), Sort::place()));
    choices_.push_back(context_.variable(fmt::format("c{}", i), Sort::boolean()));
  }
}

OrderSolver::Literal OrderSolver::fresh() {
  const auto number = static_cast<Item>(booleans_.size());
  booleans_.push_back(context_.variable(fmt::format("b{}", number), Sort::boolean()));
  return {Literal::Kind::yes, number, 0};
}

Expr OrderSolver::expression_of(const Literal& l) {
  switch (l.kind_) {
    case Literal::Kind::chosen:
      return choices_[l.first_];
    case Literal::Kind::not_chosen:
      return context_.logical_not(choices_[l.first_]);
    case Literal::Kind::before:
      return context_.before(places_[l.first_], places_[l.second_]);
    case Literal::Kind::yes:
      return booleans_[l.first_];
    case Literal::Kind::no:
      return context_.logical_not(booleans_[l.first_]);
  }
  CHECK(false);
  return context_.boolean(false);
}

void OrderSolver::require_one_of(std::span<const Literal> literals) {
  std::vector<Expr> any;
  for (const Literal& literal : literals) any.push_back(expression_of(literal));
  clauses_.push_back(context_.logical_or(any));
}

SolverOutcome OrderSolver::solve(uint32_t effort) {
  Z3Solver solver(Z3Use::fresh);
  const Outcome outcome = solver.check(
      {.purpose = "order of events", .constraints = clauses_, .limit = StepLimit{effort}});
  switch (outcome.kind) {
    case OutcomeKind::sat:
      break;
    case OutcomeKind::unsat:
      return SolverOutcome::unsolvable;
    case OutcomeKind::unknown:
    case OutcomeKind::timeout:
      return SolverOutcome::gave_up;
  }
  std::vector<std::pair<Place, Item>> chosen;
  for (Item item = 0; item < places_.size(); ++item) {
    if (std::get<Bits>(outcome.model.value_of(choices_[item])).is_zero()) continue;
    chosen.emplace_back(std::get<Place>(outcome.model.value_of(places_[item])), item);
  }
  std::ranges::sort(chosen);
  order_.clear();
  for (const auto& [place, item] : chosen) order_.push_back(item);
  return SolverOutcome::solved;
}

}  // namespace foretell::smt

// SPDX-License-Identifier: Apache-2.0

#include "smt/validating_solver.h"

#include <fmt/format.h>

namespace foretell::smt {

Outcome ValidatingSolver::check(const Query& query) {
  Query asked = query;
  // A sat without a model could not be checked.
  if (asked.model == ModelWanted::none) asked.model = ModelWanted::any;
  Outcome outcome = next_.check(asked);
  if (outcome.kind == OutcomeKind::sat) {
    ++statistics_.models_checked;
    if (!Evaluator(outcome.model).all_true(query.constraints)) {
      return refuse(query, "the model violates a constraint");
    }
    if (query.model == ModelWanted::none) outcome.model = {};
  }
  if (outcome.kind == OutcomeKind::unsat && second_ != nullptr) {
    asked.model = ModelWanted::any;
    const Outcome again = second_->check(asked);
    // A second sat counts only if its model does.
    if (again.kind == OutcomeKind::sat && Evaluator(again.model).all_true(query.constraints)) {
      return refuse(query, "called unsat, but the second solver has a model");
    }
    ++(again.kind == OutcomeKind::unsat ? statistics_.unsat_confirmed
                                        : statistics_.unsat_unconfirmed);
  }
  return outcome;
}

Outcome ValidatingSolver::refuse(const Query& query, std::string_view what) {
  failures_.push_back(fmt::format("{}: {}", query.purpose, what));
  return Outcome::unknown(failures_.back());
}

}  // namespace foretell::smt

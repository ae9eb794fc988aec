// SPDX-License-Identifier: Apache-2.0

// ValidatingSolver: believes no answer.
//
// Every model is evaluated: all constraints must hold under it. With a second solver, every unsat
// is asked again there. An answer that fails becomes unknown, with the purpose of the query in the
// reason, and is listed: a wrong answer never leaves the chain, and long work goes on.
#pragma once

#include <string>
#include <vector>

#include "smt/solver.h"

namespace foretell::smt {

struct ValidationStatistics {
  size_t models_checked = 0;
  size_t unsat_confirmed = 0;
  size_t unsat_unconfirmed = 0;  // the second solver gave up
};

class ValidatingSolver : public Solver {
 public:
  // Without a second solver unsat is taken as it is.
  explicit ValidatingSolver(Solver& next, Solver* second = nullptr)
      : next_(next), second_(second) {}
  Outcome check(const Query& query) override;

  // What was refused, in order; empty unless a solver or this room has a bug.
  const std::vector<std::string>& failures() const { return failures_; }
  const ValidationStatistics& statistics() const { return statistics_; }

 private:
  Outcome refuse(const Query& query, std::string_view what);

  Solver& next_;
  Solver* second_;
  std::vector<std::string> failures_;
  ValidationStatistics statistics_;
};

}  // namespace foretell::smt

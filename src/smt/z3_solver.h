// Z3Solver: the bottom of the chain. This file's source and smt/z3_translation are the only code
// that knows Z3.
//
// Incremental: the constraints of the last query stay asserted, a scope each. The next query keeps
// those that both begin with and pops the rest, so along a path only the new branch is translated
// and asserted, and what Z3 learned stays. A give-up drops the scopes and is asked again of a fresh
// solver, whose preprocessing is stronger; that answer counts.
//
// Fresh: a new Z3 context for each query, so the whole answer is a function of the query. Canonical
// models are always found this way, and queries about places always answered: the incremental solver
// is the one for bit-vectors and arrays.
//
// Limits are Z3's resource limits, which count steps.
#pragma once

#include <cstddef>
#include <memory>

#include "smt/solver.h"

namespace foretell::smt {

enum class Z3Use : uint8_t { incremental, fresh };

struct Z3Statistics {
  size_t pushed = 0;       // constraints asserted in scopes
  size_t kept = 0;         // constraints that were still asserted
  size_t fresh = 0;        // queries answered by a solver of their own
  size_t asked_again = 0;  // of those, after the incremental solver had given up
};

class Z3Solver : public Solver {
 public:
  // `limit` holds for queries that have none.
  explicit Z3Solver(Z3Use use, StepLimit limit = StepLimit::none);
  ~Z3Solver() override;

  Outcome check(const Query& query) override;
  const Z3Statistics& statistics() const { return statistics_; }

 private:
  struct Session;
  Outcome check_incremental(const Query& query, StepLimit limit);
  Outcome check_fresh(const Query& query, StepLimit limit);

  const Z3Use use_;
  const StepLimit limit_;
  std::unique_ptr<Session> session_;
  Z3Statistics statistics_;
};

}  // namespace foretell::smt

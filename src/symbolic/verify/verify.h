// SPDX-License-Identifier: Apache-2.0

// Verifies a cover without the search that made it (COVER section 8).
//
// Completeness: what is known of the inputs implies that one of the constraints holds. The query goes
// to whatever solver the caller has, as SMT-LIB, and in any case to a fresh one of ours without caches.
// Soundness: programs are executed again, on the example of each constraint, on other inputs that the
// solver finds in it, and on random inputs; each run must follow the schedule that its input selects, or
// leave it early by ending the program. Runs go through all epochs with a concrete state, and select each
// schedule by what it holds where the constrained program would read. Executions are samples; the argument that all inputs of a
// constraint follow its schedule is that of slicing (slicing/precondition_slice.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "program/code.h"
#include "smt/expr_context.h"
#include "smt/query.h"
#include "smt/solver.h"
#include "symbolic/executor/interpreter.h"
#include "symbolic/schedules/cover.h"

namespace foretell::symbolic {

struct Verification {
  smt::OutcomeKind covers = smt::OutcomeKind::unknown;  // of "some input has no schedule"
  size_t runs = 0;
  std::vector<std::string> wrong;     // what does not hold
  std::vector<std::string> findings;  // deadlocks and failures, with an input each
  // The same in epochs that begin in the middle of the program: no run came to them, and the state that
  // leads to them may not exist.
  std::vector<std::string> possible;
  size_t schedules = 0, schedules_seen = 0;  // in runs
};

Result<Verification> verify(const program::Code& code, Cover& cover, smt::ExprContext& context,
                            const ExecutionLimits& limits, size_t random_inputs);

// The question whose answer must be "unsat".
smt::Query coverage_query(const EpochCover& epoch, const Cover& cover, smt::ExprContext& context);

}  // namespace foretell::symbolic

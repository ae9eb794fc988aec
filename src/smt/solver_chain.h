// SPDX-License-Identifier: Apache-2.0

// SolverChain: the layers of this room put together. From the top:
//
//   validate      checks every answer that leaves the chain        smt/validating_solver.h
//   independence  splits a query into unrelated ones               smt/independence_solver.h
//   cache         answers from earlier answers                     smt/cache_solver.h
//   log           writes what reaches the solver to files          smt/logging_solver.h
//   z3            decides                                          smt/z3_solver.h
//
// A layer that is off is not there. What is deterministic: smt/solver.h. Work that must not depend
// on other work gets a chain of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "smt/counting_solver.h"
#include "smt/solver.h"
#include "smt/z3_solver.h"

namespace foretell::smt {

struct ChainOptions {
  bool validate_models = true;
  bool validate_unsat = false;  // by a fresh solver each
  bool independence = true;
  bool cache = true;
  std::string log_directory = {};  // made if it does not exist; empty: no log
  Z3Use z3 = Z3Use::incremental;
  StepLimit limit = StepLimit::none;  // for queries that have none
};

class SolverChain : public Solver {
 public:
  // Fails if the log directory cannot be made.
  static Result<std::unique_ptr<SolverChain>> create(ChainOptions options);
  ~SolverChain() override;

  Outcome check(const Query& query) override;

  // From the top.
  std::vector<LayerStatistics> statistics() const;
  std::string statistics_text() const;
  // Answers that validation refused.
  std::vector<std::string> failures() const;
  // A log file that could not be written.
  std::optional<Diagnostic> log_failure() const;

 private:
  struct Layers;
  SolverChain(ChainOptions options, std::unique_ptr<Layers> layers);

  const ChainOptions options_;
  std::unique_ptr<Layers> layers_;
};

}  // namespace foretell::smt

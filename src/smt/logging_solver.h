// LoggingSolver: writes every query that passes to a file of its own, 000001-purpose.smt2, which
// any SMT-LIB solver reads. The file is there before the question is asked, so that what a solver
// dies of can be looked at; afterward its last line tells the outcome.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "smt/solver.h"

namespace foretell::smt {

class LoggingSolver : public Solver {
 public:
  // The directory must exist.
  LoggingSolver(Solver& next, std::string directory)
      : next_(next), directory_(std::move(directory)) {}
  Outcome check(const Query& query) override;
  // The first file that could not be written. Answers do not depend on it.
  const std::optional<Diagnostic>& failure() const { return failure_; }

 private:
  void write(const std::string& path, const std::string& text);

  Solver& next_;
  const std::string directory_;
  size_t count_ = 0;
  std::optional<Diagnostic> failure_;
};

}  // namespace foretell::smt

// A question to a solver: can all of these constraints hold at once?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "smt/expr.h"

namespace foretell::smt {

// In the solver's own steps (Z3's rlimit), never in time: the same on every machine.
enum class StepLimit : uint32_t { none = 0 };

enum class ModelWanted : uint8_t {
  none,       // the outcome is enough
  any,        // some model; which one may depend on what this chain was asked before
  canonical,  // the model is a function of the set of constraints and of the chain's options alone
};

struct Query {
  // What the answer is for: "branch at f.c:12 can be false". Names log files and errors.
  std::string purpose;
  // In path order: the solver keeps what consecutive queries have in common at the beginning.
  std::vector<Expr> constraints;
  ModelWanted model = ModelWanted::any;
  StepLimit limit = StepLimit::none;  // none: the chain's own
};

}  // namespace foretell::smt

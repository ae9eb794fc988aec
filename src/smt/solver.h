// Solver: answers queries. The solvers of this room form a chain of small decorators, each of which
// answers what it can and asks the next for the rest (smt/solver_chain.h), in the manner of KLEE.
//
// What is deterministic:
//   - sat and unsat are facts; no history changes one into the other.
//   - unknown and timeout depend on the limit, and with an incremental solver or a cache also on
//   what was asked
//     before: a question may be answered that a fresh solver would give up on, or the other way
//     round. The same sequence of queries to a new chain gives the same outcomes everywhere, since
//     limits count steps.
//   - A model that was asked for as `canonical` depends on nothing but the set of constraints: it always
//   comes
//     from a fresh solver or from a cache of such answers. One that was asked for as `any` may be a
//     model that the chain found for another query.
// tests/unit/smt/determinism_test.cc holds this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "smt/model.h"
#include "smt/query.h"

namespace foretell::smt {

enum class OutcomeKind : uint8_t {
  sat,
  unsat,
  unknown,  // the solver cannot tell
  timeout,  // the limit was reached
};

std::string_view name_of(OutcomeKind kind);

struct Outcome {
  OutcomeKind kind = OutcomeKind::unknown;
  Model model = {};         // of sat, unless none was wanted
  std::string reason = {};  // of unknown and timeout

  static Outcome sat(Model model) { return {OutcomeKind::sat, std::move(model), {}}; }
  static Outcome unsat() { return {OutcomeKind::unsat, {}, {}}; }
  static Outcome unknown(std::string reason) {
    return {OutcomeKind::unknown, {}, std::move(reason)};
  }
  static Outcome timeout(std::string reason) {
    return {OutcomeKind::timeout, {}, std::move(reason)};
  }
  bool is_definite() const { return kind == OutcomeKind::sat || kind == OutcomeKind::unsat; }
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual Outcome check(const Query& query) = 0;
};

}  // namespace foretell::smt

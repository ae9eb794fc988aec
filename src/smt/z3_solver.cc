#include "smt/z3_solver.h"

#include <z3++.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "smt/z3_translation.h"

namespace foretell::smt {
namespace {

// A logic lets Z3 choose a procedure made for it.
z3::solver make_solver(z3::context& context, std::string_view logic) {
  return logic == "ALL" ? z3::solver(context) : z3::solver(context, std::string(logic).c_str());
}

// In an order that depends on the set of constraints alone, and nothing twice.
Query as_set(Query query) {
  std::erase_if(query.constraints, [](Expr e) { return e.is_true(); });
  std::ranges::sort(query.constraints, structurally_before);
  query.constraints.erase(std::ranges::unique(query.constraints).begin(), query.constraints.end());
  return query;
}

Outcome gave_up(std::string reason) {
  const bool is_limit = reason.find("resource limit") != std::string::npos ||
                        reason.find("canceled") != std::string::npos;
  return is_limit ? Outcome::timeout(std::move(reason)) : Outcome::unknown(std::move(reason));
}

}  // namespace

struct Z3Solver::Session {
  explicit Session(std::string_view logic)
      : solver(make_solver(context, logic)), translation(context) {}

  Outcome check(const Query& query, StepLimit limit) {
    if (limit != current_limit) {
      z3::params params(context);
      params.set("rlimit", static_cast<unsigned>(limit));
      solver.set(params);
      current_limit = limit;
    }
    const z3::check_result result = solver.check();
    if (result == z3::unsat) return Outcome::unsat();
    if (result == z3::unknown) return gave_up(solver.reason_unknown());
    if (query.model == ModelWanted::none) return Outcome::sat({});
    return Outcome::sat(translation.model_of(solver.get_model(), query.constraints));
  }

  z3::context context;
  z3::solver solver;
  Z3Translation translation;
  std::vector<Expr> asserted;  // a scope each
  StepLimit current_limit = StepLimit::none;
};

Z3Solver::Z3Solver(Z3Use use, StepLimit limit) : use_(use), limit_(limit) {}

Z3Solver::~Z3Solver() = default;

Outcome Z3Solver::check(const Query& query) {
  const StepLimit limit = query.limit == StepLimit::none ? limit_ : query.limit;
  if (query.model == ModelWanted::canonical) return check_fresh(as_set(query), limit);
  const bool is_incremental = use_ == Z3Use::incremental && !sorts_used(query.constraints).places;
  if (!is_incremental) return check_fresh(query, limit);
  Outcome outcome = check_incremental(query, limit);
  if (outcome.is_definite()) return outcome;
  session_.reset();
  ++statistics_.asked_again;
  return check_fresh(query, limit);
}

Outcome Z3Solver::check_incremental(const Query& query, StepLimit limit) {
  try {
    // Without a logic Z3 needs nearly twice the time (bench_smt).
    if (session_ == nullptr) session_ = std::make_unique<Session>("QF_ABV");
    std::vector<Expr>& asserted = session_->asserted;
    const auto differing = std::ranges::mismatch(asserted, query.constraints).in1;
    const auto common = static_cast<size_t>(differing - asserted.begin());
    statistics_.kept += common;
    if (common < asserted.size()) {
      session_->solver.pop(static_cast<unsigned>(asserted.size() - common));
      asserted.erase(differing, asserted.end());
    }
    for (size_t i = common; i < query.constraints.size(); ++i) {
      session_->solver.push();
      session_->solver.add(session_->translation.translate(query.constraints[i]));
      asserted.push_back(query.constraints[i]);
      ++statistics_.pushed;
    }
    return session_->check(query, limit);
  } catch (const z3::exception& error) {
    // Out of memory, or a limit that Z3 reports this way.
    return gave_up(error.msg());
  }
}

Outcome Z3Solver::check_fresh(const Query& query, StepLimit limit) {
  ++statistics_.fresh;
  try {
    Session session(logic_of(sorts_used(query.constraints)));
    for (Expr constraint : query.constraints) {
      session.solver.add(session.translation.translate(constraint));
    }
    return session.check(query, limit);
  } catch (const z3::exception& error) {
    return gave_up(error.msg());
  }
}

}  // namespace foretell::smt

#include "smt/z3_solver.h"

#include <z3++.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "smt/z3_translation.h"

namespace foretell::smt {
namespace {

// A logic lets Z3 choose a procedure for it; "" is no choice.
std::string logic_of(std::span<const Expr> constraints) {
  bool has_arrays = false, has_bits = false, has_places = false;
  for (Expr e : post_order(constraints)) {
    has_arrays |= e.is_array();
    has_bits |= e.is_bits();
    has_places |= e.sort().kind == SortKind::place;
  }
  if (has_places) return has_bits || has_arrays ? "" : "QF_IDL";
  return has_arrays ? "QF_ABV" : "QF_BV";
}

z3::solver make_solver(z3::context& context, const std::string& logic) {
  return logic.empty() ? z3::solver(context) : z3::solver(context, logic.c_str());
}

Outcome gave_up(std::string reason) {
  const bool is_limit = reason.find("resource limit") != std::string::npos ||
                        reason.find("canceled") != std::string::npos;
  return is_limit ? Outcome::timeout(std::move(reason)) : Outcome::unknown(std::move(reason));
}

}  // namespace

struct Z3Solver::Session {
  explicit Session(const std::string& logic)
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
  if (use_ == Z3Use::fresh || query.model == ModelWanted::canonical) {
    return check_fresh(query, limit);
  }
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
      const z3::expr constraint = session_->translation.translate(query.constraints[i]);
      if (session_->translation.has_places()) return Outcome::unknown("QF_ABV has no places");
      session_->solver.push();
      session_->solver.add(constraint);
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
    Session session(logic_of(query.constraints));
    for (Expr constraint : query.constraints) {
      session.solver.add(session.translation.translate(constraint));
    }
    return session.check(query, limit);
  } catch (const z3::exception& error) {
    return gave_up(error.msg());
  }
}

}  // namespace foretell::smt

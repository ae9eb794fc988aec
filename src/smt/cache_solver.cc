#include "smt/cache_solver.h"

#include <algorithm>
#include <ranges>

namespace foretell::smt {
namespace {

// Whether a limit allows at least as many steps as another.
bool at_least(StepLimit a, StepLimit b) {
  return a == StepLimit::none || (b != StepLimit::none && a >= b);
}

}  // namespace

Outcome CacheSolver::check(const Query& query) {
  Set set;
  for (Expr e : query.constraints) {
    if (e.is_false()) return Outcome::unsat();
    if (!e.is_true()) set.push_back(e.id());
  }
  if (set.empty()) return Outcome::sat({});
  std::ranges::sort(set);
  set.erase(std::ranges::unique(set).begin(), set.end());

  if (const Outcome* outcome = find_exact(set, query)) {
    ++statistics_.exact;
    return *outcome;
  }
  if (contains_unsat(set)) {
    ++statistics_.superset;
    exact_[std::move(set)] = {Outcome::unsat()};
    return Outcome::unsat();
  }
  if (query.model != ModelWanted::canonical) {
    if (const Model* model = find_model(set, query)) {
      Entry& entry = exact_[std::move(set)];
      entry = {Outcome::sat(*model), ModelWanted::any};
      return entry.outcome;
    }
  }
  ++statistics_.missed;
  return remember(std::move(set), query, next_.check(query));
}

const Outcome* CacheSolver::find_exact(const Set& set, const Query& query) const {
  auto found = exact_.find(set);
  if (found == exact_.end()) return nullptr;
  const Entry& entry = found->second;
  switch (entry.outcome.kind) {
    case OutcomeKind::sat:
      return entry.model_kind >= query.model ? &entry.outcome : nullptr;
    case OutcomeKind::unsat:
      return &entry.outcome;
    case OutcomeKind::unknown:
    case OutcomeKind::timeout:
      break;
  }
  // Another kind of model is another way to ask.
  const bool is_same_question =
      at_least(entry.limit, query.limit) && entry.model_kind == query.model;
  return is_same_question ? &entry.outcome : nullptr;
}

bool CacheSolver::contains_unsat(const Set& set) const {
  for (uint32_t largest : set) {
    auto found = unsat_.find(largest);
    if (found == unsat_.end()) continue;
    for (const Set& unsat : found->second) {
      if (std::ranges::includes(set, unsat)) return true;
    }
  }
  return false;
}

const Model* CacheSolver::find_model(const Set& set, const Query& query) {
  for (const auto& known : sat_) {
    if (std::ranges::includes(known->set, set)) {
      ++statistics_.subset;
      return &known->model;
    }
  }
  for (const auto& known : sat_ | std::views::take(kModelsTried)) {
    // The newest constraint is the likeliest to fail.
    const bool holds = std::ranges::all_of(query.constraints | std::views::reverse,
                                           [&](Expr e) { return known->evaluator.is_true(e); });
    if (!holds) continue;
    ++statistics_.model;
    return &known->model;
  }
  return nullptr;
}

Outcome CacheSolver::remember(Set set, const Query& query, Outcome outcome) {
  if (outcome.kind == OutcomeKind::unsat) unsat_[set.back()].push_back(set);
  if (outcome.kind == OutcomeKind::sat && query.model != ModelWanted::none) {
    sat_.push_front(std::make_unique<SatSet>(set, outcome.model));
    if (sat_.size() > kSatSetsKept) sat_.pop_back();
  }
  Entry& entry = exact_[std::move(set)];
  // A definite answer is never replaced by a give-up.
  if (outcome.is_definite() || !entry.outcome.is_definite())
    entry = {outcome, query.model, query.limit};
  return outcome;
}

}  // namespace foretell::smt

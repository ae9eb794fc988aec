// SPDX-License-Identifier: Apache-2.0

#include "smt/independence_solver.h"

#include <numeric>
#include <optional>
#include <ranges>

namespace foretell::smt {
namespace {

class UnionFind {
 public:
  explicit UnionFind(size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }
  size_t root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The smaller root stays, so a group is known by its first member.
  void join(size_t a, size_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

const std::vector<Expr>& IndependenceSolver::variables_in(Expr constraint) {
  auto found = variables_.find(constraint);
  if (found != variables_.end()) return found->second;
  return variables_.emplace(constraint, variables_of({&constraint, 1})).first->second;
}

std::vector<IndependenceSolver::Group> IndependenceSolver::groups_of(const Query& query) {
  UnionFind related(query.constraints.size());
  absl::flat_hash_map<Expr, size_t> first_use;
  for (size_t i = 0; i < query.constraints.size(); ++i) {
    for (Expr variable : variables_in(query.constraints[i])) {
      related.join(i, first_use.try_emplace(variable, i).first->second);
    }
  }
  std::vector<Group> groups;
  absl::flat_hash_map<size_t, size_t> number;  // of the group, by root
  for (size_t i = 0; i < query.constraints.size(); ++i) {
    const size_t group = number.try_emplace(related.root(i), groups.size()).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].constraints.push_back(query.constraints[i]);
  }
  if (query.model == ModelWanted::none) return groups;
  for (const auto& [variable, use] : first_use) {
    groups[number.at(related.root(use))].variables.push_back(variable);
  }
  return groups;
}

Outcome IndependenceSolver::check(const Query& query) {
  std::vector<Group> groups = groups_of(query);
  if (groups.size() <= 1) return next_.check(query);
  Model together;
  std::optional<Outcome> gave_up;
  // The group of the newest constraints first: the others have usually been answered.
  for (Group& group : groups | std::views::reverse) {
    Outcome outcome =
        next_.check({query.purpose, std::move(group.constraints), query.model, query.limit});
    if (outcome.kind == OutcomeKind::unsat) return outcome;
    // Another group may still be unsat.
    if (!outcome.is_definite()) gave_up = std::move(outcome);
    for (Expr variable : group.variables) {
      if (const Value* value = outcome.model.find(variable)) together.set(variable, *value);
    }
  }
  return gave_up ? *gave_up : Outcome::sat(std::move(together));
}

}  // namespace foretell::smt

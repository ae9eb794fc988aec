// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sliced/variable_groups.h"

#include <algorithm>
#include <map>

namespace foretell::analysis::sliced {

SetId VariableSets::intern(std::vector<Variable> set) {
  const auto [it, fresh] = ids_.try_emplace(set, SetId{static_cast<uint32_t>(sets_.size())});
  if (fresh) sets_.push_back(std::move(set));
  return it->second;
}

SetId VariableSets::with(SetId set, Variable variable) {
  const std::span<const Variable> before = (*this)[set];
  const auto at = std::ranges::lower_bound(before, variable);
  if (at != before.end() && *at == variable) return set;
  std::vector<Variable> more(before.begin(), at);
  more.push_back(variable);
  more.insert(more.end(), at, before.end());
  return intern(std::move(more));
}

SetId VariableSets::united(SetId a, SetId b) {
  if (a == b || b == kEmpty) return a;
  if (a == kEmpty) return b;
  const auto key = std::minmax(a, b);
  if (const auto known = unions_.find(key); known != unions_.end()) return known->second;
  std::vector<Variable> both;
  std::ranges::set_union((*this)[a], (*this)[b], std::back_inserter(both));
  const SetId set = intern(std::move(both));
  unions_.emplace(key, set);
  return set;
}

VariableGroups::VariableGroups(std::span<const trace::Event> events, const Dependences& dependences,
                               const std::vector<Variable>& variable_of, size_t variables)
    : events_(events),
      dependences_(dependences),
      variable_of_(variable_of),
      needed_by_(dependences.node_count(), VariableSets::kEmpty) {
  find_needs();
  find_groups(variables);
}

void VariableGroups::find_needs() {
  for (size_t i = dependences_.node_count(); i-- > 0;) {
    const Node node{static_cast<uint32_t>(i)};
    const SetId needed = needed_by_[i];
    auto need = [&](std::span<const Node> nodes, SetId by) {
      if (by == VariableSets::kEmpty) return;
      for (Node each : nodes) {
        needed_by_[place(each)] = sets_.united(needed_by_[place(each)], by);
      }
    };
    need(dependences_.data(node), needed);
    SetId happens = needed;
    if (dependences_.is_event(node)) {
      const Variable mine = variable_of(events_[dependences_.event_of(node)]);
      // Without its value: only what decides that it happens.
      if (mine != kNoVariable) happens = sets_.with(needed, mine);
    }
    need(dependences_.control(node), happens);
  }
}

// Two variables are of one group if every set that occurs has both or neither.
void VariableGroups::find_groups(size_t variables) {
  std::vector<bool> occurs(sets_.size());
  for (SetId set : needed_by_) occurs[static_cast<size_t>(set)] = true;
  std::vector<std::vector<uint32_t>> signature(variables);
  for (uint32_t s = 0; s < occurs.size(); ++s) {
    if (!occurs[s]) continue;
    for (Variable variable : sets_[SetId{s}]) signature[static_cast<size_t>(variable)].push_back(s);
  }
  std::map<std::vector<uint32_t>, Group> groups;
  group_of_.resize(variables);
  for (size_t v = 0; v < variables; ++v) {
    group_of_[v] =
        groups.try_emplace(signature[v], Group{static_cast<uint32_t>(groups.size())}).first->second;
  }
  groups_ = groups.size();
  groups_of_.resize(sets_.size());
  for (uint32_t s = 0; s < occurs.size(); ++s) {
    if (!occurs[s]) continue;
    std::vector<Group>& mine = groups_of_[s];
    for (Variable variable : sets_[SetId{s}]) mine.push_back(group_of(variable));
    std::ranges::sort(mine);
    const auto repeats = std::ranges::unique(mine);
    mine.erase(repeats.begin(), repeats.end());
  }
}

void VariableGroups::join(clocks::VectorClock& clock, std::span<const Node> nodes,
                          Group group) const {
  for (Node node : nodes) {
    const auto known = clocks_.find({group, node});
    if (known != clocks_.end()) clock.join(known->second);
  }
}

// Of a needed node, in each group that needs it.
void VariableGroups::compute(Node node) {
  for (Group group : groups_of_[static_cast<size_t>(needed_by_[place(node)])]) {
    const bool is_event = dependences_.is_event(node);
    clocks::VectorClock clock;
    if (is_event) {
      const ThreadId thread = events_[dependences_.event_of(node)].thread;
      clock = thread_clock(group, thread);
    }
    join(clock, dependences_.control(node), group);
    join(clock, dependences_.data(node), group);
    if (is_event) {
      const ThreadId thread = events_[dependences_.event_of(node)].thread;
      clocks::VectorClock& mine = thread_clock(group, thread);
      clock.raise(clocks::Epoch(thread, mine[thread] + 1));
      mine = clock;
    }
    clocks_.insert_or_assign(std::pair(group, node), std::move(clock));
  }
}

}  // namespace foretell::analysis::sliced

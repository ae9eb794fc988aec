// SPDX-License-Identifier: Apache-2.0

// Sliced causality of every shared variable at once (SLICED 4.2 makes one pass for each).
//
// The property of a variable sees its accesses, without values. What a closure adds to them differs
// from variable to variable, and uniting the closures would lose races: `y=1; x=1` against
// `if (x) z=1; y=2` needs the branch on x for z, not for y. So the backward pass computes for every
// node the *set of variables* that need it. Sets are few and shared; so are unions. Variables that
// need the same nodes are a group, and the forward pass computes one clock for each group of a node.
//
//   within a group   an access a of thread t is before an access b of another thread iff the clock of
//                    b counts a needed event of t that comes after a, or is a
//
// O(nodes) for the sets and O(nodes x groups that need them x threads) for the clocks.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/race/sliced/dependences.h"
#include "base/dense_table.h"
#include "clocks/vector_clock.h"
#include "trace/event.h"

namespace foretell::analysis::sliced {

enum class Variable : uint32_t {};
enum class SetId : uint32_t {};
enum class Group : uint32_t {};

// Sets of variables, each once.
class VariableSets {
 public:
  static constexpr SetId kEmpty{0};

  VariableSets() { sets_.emplace_back(); }
  SetId with(SetId set, Variable variable);
  SetId united(SetId a, SetId b);
  std::span<const Variable> operator[](SetId set) const { return sets_[static_cast<size_t>(set)]; }
  size_t size() const { return sets_.size(); }

 private:
  SetId intern(std::vector<Variable> set);

  std::vector<std::vector<Variable>> sets_;  // sorted
  absl::flat_hash_map<std::vector<Variable>, SetId> ids_;
  absl::flat_hash_map<std::pair<SetId, SetId>, SetId> unions_;
};

class VariableGroups {
 public:
  // `variable_of`: by location, kNoVariable for those that nobody asks about.
  static constexpr Variable kNoVariable{~uint32_t{0}};
  VariableGroups(std::span<const trace::Event> events, const Dependences& dependences,
                 const std::vector<Variable>& variable_of, size_t variables);

  size_t group_count() const { return groups_; }
  Group group_of(Variable variable) const { return group_of_[static_cast<size_t>(variable)]; }

  // Walks the events once more. At an access of a variable `visit` gets the place of the event, the
  // needed events of the variable's group in its thread so far, and its clock.
  template <class Visit>
  void for_each_access(const Visit& visit);

 private:
  Variable variable_of(const trace::Event& e) const {
    if (!is_access(e.kind) || to_index(e.location()) >= variable_of_.size()) return kNoVariable;
    return variable_of_[to_index(e.location())];
  }
  void find_needs();
  void find_groups(size_t variables);
  clocks::VectorClock& thread_clock(Group group, ThreadId thread) {
    return threads_[{group, thread}];
  }
  void join(clocks::VectorClock& clock, std::span<const Node> nodes, Group group) const;
  void compute(Node node);

  const std::span<const trace::Event> events_;
  const Dependences& dependences_;
  const std::vector<Variable>& variable_of_;
  VariableSets sets_;
  std::vector<SetId> needed_by_;               // by node
  std::vector<Group> group_of_;                // by variable
  std::vector<std::vector<Group>> groups_of_;  // by set
  size_t groups_ = 0;
  absl::flat_hash_map<std::pair<Group, ThreadId>, clocks::VectorClock> threads_;
  absl::flat_hash_map<std::pair<Group, Node>, clocks::VectorClock> clocks_;
};

template <class Visit>
void VariableGroups::for_each_access(const Visit& visit) {
  threads_.clear();
  clocks_.clear();
  for (uint32_t i = 0; i < dependences_.node_count(); ++i) {
    const Node node{i};
    if (dependences_.is_event(node)) {
      const size_t place = dependences_.event_of(node);
      const trace::Event& e = events_[place];
      if (const Variable variable = variable_of(e); variable != kNoVariable) {
        const Group group = group_of(variable);
        clocks::VectorClock clock = thread_clock(group, e.thread);
        const clocks::Time before = clock[e.thread];
        join(clock, dependences_.control(node), group);
        visit(place, before, clock);
      }
    }
    compute(node);
  }
}

}  // namespace foretell::analysis::sliced

// SPDX-License-Identifier: Apache-2.0

// ScopeReach: what follows from an event, or comes before it, if a locked scope is one vertex.
//
// Such a set is the end of each thread from some event on, or the beginning up to some event: one
// number per thread. Events of overlapping or nested scopes are one vertex, so that number never
// stands inside a scope.
#pragma once

#include <vector>

#include "analysis/determinism/witness_graph/order_graph.h"

namespace foretell::analysis {

class ScopeReach {
 public:
  using Steps = OrderGraph::Steps;
  static constexpr uint32_t kNothing = ~uint32_t{0};

  explicit ScopeReach(const GraphParts& parts) : parts_(parts), facts_(parts.facts) {}

  // Adds the events of a thread from step `at` on to `reached`; its first `steps` events to
  // `reaching`. What follows from that is added by the next close.
  void reach(Steps& reached, size_t thread, uint32_t at) {
    if (at >= reached[thread]) return;
    reached[thread] = at;
    grown_.push_back(thread);
  }
  void be_reached_by(Steps& reaching, size_t thread, uint32_t steps) {
    if (steps <= reaching[thread]) return;
    reaching[thread] = steps;
    grown_.push_back(thread);
  }

  // Adds what follows, or comes before. `cross` is called with each thread of which there is more
  // now, and may add to the set.
  template <class Cross>
  void close_after(const OrderGraph& graph, Steps& reached, Cross&& cross);
  template <class Cross>
  void close_before(const OrderGraph& graph, Steps& reaching, Cross&& cross);

  // All that follows from `p`, into `reached`, which may hold some already.
  void add_after(const OrderGraph& graph, judge::Position p, Steps& reached) {
    reach(reached, facts_.thread_index(p), facts_.step[p]);
    close_after(graph, reached, [](size_t) {});
  }
  void add_before(const OrderGraph& graph, judge::Position p, Steps& reaching) {
    be_reached_by(reaching, facts_.thread_index(p), facts_.step[p] + 1);
    close_before(graph, reaching, [](size_t) {});
  }

 private:
  // The last scope of the list that begins before step `at`, or none.
  const Scope* last_before(const ScopeList& list, uint32_t at) const {
    const auto beyond = std::ranges::lower_bound(
        list.scopes, at, {}, [&](const Scope& s) { return facts_.step[s.acquire]; });
    return beyond == list.scopes.begin() ? nullptr : &*std::prev(beyond);
  }
  bool is_grown_again(size_t thread) const { return !grown_.empty() && grown_.back() == thread; }

  const GraphParts& parts_;
  const judge::TraceFacts& facts_;
  std::vector<size_t> grown_;  // threads whose number has changed
  Steps looked_at_;            // by thread: its number when it was last looked at
  Steps scratch_;
};

template <class Cross>
void ScopeReach::close_after(const OrderGraph& graph, Steps& reached, Cross&& cross) {
  looked_at_.assign(facts_.thread_count(), kNothing);
  while (!grown_.empty()) {
    const size_t t = grown_.back();
    grown_.pop_back();
    if (looked_at_[t] == reached[t]) continue;
    for (uint32_t i : parts_.lists_by[t]) {
      const Scope* s = last_before(parts_.lists[i], reached[t]);
      if (s != nullptr && graph.is_there(*s) && reached[t] < graph.end_of(*s)) {
        reach(reached, t, facts_.step[s->acquire]);
      }
    }
    if (is_grown_again(t)) continue;  // another scope may reach across
    looked_at_[t] = reached[t];
    graph.after(facts_.events_of[t][reached[t]], scratch_);
    for (size_t u = 0; u < scratch_.size(); ++u) reach(reached, u, scratch_[u]);
    cross(t);
  }
}

template <class Cross>
void ScopeReach::close_before(const OrderGraph& graph, Steps& reaching, Cross&& cross) {
  looked_at_.assign(facts_.thread_count(), 0);
  while (!grown_.empty()) {
    const size_t t = grown_.back();
    grown_.pop_back();
    if (looked_at_[t] == reaching[t]) continue;
    for (uint32_t i : parts_.lists_by[t]) {
      const Scope* s = last_before(parts_.lists[i], reaching[t]);
      if (s != nullptr && graph.is_there(*s)) be_reached_by(reaching, t, graph.end_of(*s));
    }
    if (is_grown_again(t)) continue;
    looked_at_[t] = reaching[t];
    graph.before(facts_.events_of[t][reaching[t] - 1], scratch_);
    for (size_t u = 0; u < scratch_.size(); ++u) be_reached_by(reaching, u, scratch_[u]);
    cross(t);
  }
}

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sliced/causality.h"

#include <algorithm>

#include "base/dense_table.h"

namespace foretell::analysis::sliced {
namespace {

// Marks everything that `node` depends upon as needed. `changed` hears of each event that becomes
// important by this.
template <class Changed>
void need_all(const Dependences& dependences, Node node, bool with_data,
              std::vector<Importance>& importance, const Changed& changed) {
  std::vector<Node> open;
  auto need = [&](std::span<const Node> nodes) {
    for (Node each : nodes) {
      if (importance[place(each)] == Importance::needed) continue;
      changed(each);
      importance[place(each)] = Importance::needed;
      open.push_back(each);
    }
  };
  need(dependences.control(node));
  if (with_data) need(dependences.data(node));
  while (!open.empty()) {
    const Node next = open.back();
    open.pop_back();
    need(dependences.control(next));
    need(dependences.data(next));
  }
}

// The clocks of a run of nodes, one after the other.
class Clocks {
 public:
  Clocks(std::span<const trace::Event> events, const Dependences& dependences)
      : events_(events), dependences_(dependences), of_node_(dependences.node_count()) {}

  // Of an important node, when all before it have theirs.
  const clocks::VectorClock& compute(Node node, Importance importance,
                                     const clocks::VectorClock& of_thread) {
    clocks::VectorClock& clock = of_node_[place(node)];
    clock = dependences_.is_event(node) ? of_thread : clocks::VectorClock();
    join(clock, dependences_.control(node));
    if (importance == Importance::needed) join(clock, dependences_.data(node));
    if (dependences_.is_event(node)) {
      const ThreadId thread = events_[dependences_.event_of(node)].thread;
      clock.raise(clocks::Epoch(thread, of_thread[thread] + 1));
    }
    return clock;
  }
  const clocks::VectorClock& of(Node node) const { return of_node_[place(node)]; }

  // When all are known: the clocks of the relevant events as they are seen.
  void see(const Filter& filter, Causality& causality) const {
    causality.seen.resize(events_.size());
    DenseTable<clocks::VectorClock, ThreadId> threads;
    for (size_t i = 0; i < events_.size(); ++i) {
      const Node node = dependences_.node_of(i);
      const ThreadId thread = events_[i].thread;
      if (filter.is_relevant(events_[i])) {
        clocks::VectorClock& seen = causality.seen[i];
        seen = filter.with_values ? of(node) : threads[thread];
        if (!filter.with_values) join(seen, dependences_.control(node));
        seen.raise(clocks::Epoch(thread, of(node)[thread]));
      }
      if (causality.importance[i] != Importance::none) threads[thread] = of(node);
    }
  }

 private:
  void join(clocks::VectorClock& clock, std::span<const Node> nodes) const {
    for (Node node : nodes) clock.join(of_node_[place(node)]);
  }

  const std::span<const trace::Event> events_;
  const Dependences& dependences_;
  std::vector<clocks::VectorClock> of_node_;
};

size_t thread_count(std::span<const trace::Event> events) {
  size_t count = 0;
  for (const trace::Event& e : events) count = std::max(count, to_index(e.thread) + 1);
  return count;
}

}  // namespace

bool Causality::is_before(std::span<const trace::Event> events, size_t a, size_t b) const {
  const ThreadId thread = events[a].thread;
  if (a == b || clock[a].is_zero() || clock[b].is_zero()) return false;
  const clocks::VectorClock& of_b = seen[b].is_zero() ? clock[b] : seen[b];
  // An event's own component is its place in its thread's part of the closure.
  return clock[a][thread] <= of_b[thread] && (events[b].thread != thread || a < b);
}

std::vector<Importance> closure_of(std::span<const trace::Event> events,
                                   const Dependences& dependences, const Filter& filter) {
  std::vector<Importance> importance(dependences.node_count(), Importance::none);
  auto need = [&](std::span<const Node> nodes) {
    for (Node node : nodes) importance[place(node)] = Importance::needed;
  };
  for (size_t i = dependences.node_count(); i-- > 0;) {
    const Node node{static_cast<uint32_t>(i)};
    Importance& mine = importance[i];
    if (dependences.is_event(node) && filter.is_relevant(events[dependences.event_of(node)])) {
      mine = std::max(mine, filter.with_values ? Importance::needed : Importance::relevant);
    }
    if (mine != Importance::none) need(dependences.control(node));
    if (mine == Importance::needed) need(dependences.data(node));
  }
  return importance;
}

Causality offline_causality(std::span<const trace::Event> events, const Dependences& dependences,
                            const Filter& filter) {
  const std::vector<Importance> closure = closure_of(events, dependences, filter);
  Causality causality;
  causality.importance.assign(events.size(), Importance::none);
  causality.clock.resize(events.size());
  Clocks clocks(events, dependences);
  std::vector<clocks::VectorClock> threads(thread_count(events));
  for (size_t i = 0; i < dependences.node_count(); ++i) {
    const Node node{static_cast<uint32_t>(i)};
    if (closure[i] == Importance::none) continue;
    if (!dependences.is_event(node)) {
      clocks.compute(node, closure[i], {});
      continue;
    }
    const size_t event = dependences.event_of(node);
    clocks::VectorClock& thread = threads[to_index(events[event].thread)];
    thread = clocks.compute(node, closure[i], thread);
    causality.importance[event] = closure[i];
    causality.clock[event] = thread;
  }
  clocks.see(filter, causality);
  return causality;
}

Causality online_causality(std::span<const trace::Event> events, const Dependences& dependences,
                           const Filter& filter) {
  std::vector<Importance> importance(dependences.node_count(), Importance::none);
  Clocks clocks(events, dependences);
  Causality causality;
  causality.importance.assign(events.size(), Importance::none);
  causality.clock.resize(events.size());
  // The clock of the last important event of the thread before a node.
  std::vector<clocks::VectorClock> threads(thread_count(events));
  size_t done = 0;  // nodes that are behind

  auto compute = [&](size_t i) {
    const Node node{static_cast<uint32_t>(i)};
    if (importance[i] == Importance::none) return;
    if (!dependences.is_event(node)) {
      clocks.compute(node, importance[i], {});
      return;
    }
    const size_t event = dependences.event_of(node);
    clocks::VectorClock& thread = threads[to_index(events[event].thread)];
    thread = clocks.compute(node, importance[i], thread);
    causality.clock[event] = thread;
  };
  // Something before has become important: the clocks since then are not what they should be.
  auto backtrack = [&](size_t first) {
    std::ranges::fill(threads, clocks::VectorClock());
    for (size_t i = 0; i < first; ++i) {
      const Node node{static_cast<uint32_t>(i)};
      if (importance[i] == Importance::none || !dependences.is_event(node)) continue;
      threads[to_index(events[dependences.event_of(node)].thread)] = clocks.of(node);
    }
    for (size_t i = first; i < done; ++i) {
      if (importance[i] != Importance::none) ++causality.backtracked;
      compute(i);
    }
  };
  for (; done < dependences.node_count(); ++done) {
    const Node node{static_cast<uint32_t>(done)};
    if (dependences.is_event(node)) {
      const trace::Event& e = events[dependences.event_of(node)];
      if (filter.is_relevant(e)) {
        importance[done] = filter.with_values ? Importance::needed : Importance::relevant;
        size_t first = done;
        need_all(dependences, node, filter.with_values, importance,
                 [&](Node changed) { first = std::min(first, place(changed)); });
        if (first < done) backtrack(first);
      }
    }
    compute(done);
  }
  for (size_t i = 0; i < importance.size(); ++i) {
    const Node node{static_cast<uint32_t>(i)};
    if (dependences.is_event(node)) {
      causality.importance[dependences.event_of(node)] = importance[i];
    }
  }
  clocks.see(filter, causality);
  return causality;
}

}  // namespace foretell::analysis::sliced

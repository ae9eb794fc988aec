// SPDX-License-Identifier: Apache-2.0

// ExtraEdges: the component E of PREDICT 15.1, which makes vector clocks adjustable.
//
// That an earlier critical section must come before a later one is known only when the later one
// ends. Clocks that were handed out from inside it by then lack that edge. They are not searched
// for: the edge (r, a) is kept here, and a clock is adjusted when it is used,
//
//   adjust(k)   the least k' with k ⊑ k', and r ⊑ k' for every edge (r, a) with a before k'.
//
// An acquire of thread t is before k if k knows of a later time of t than the acquire's own clock
// has. The document writes a ⊑ k; but an acquire's clock is also that of t's event before it, and
// a clock that knows only that event would be taken to know the acquire (docs/papers.md).
//
// Edges are kept by the thread of the acquire, in the order of the acquires, each with the join of
// all before it, so of one thread at most one edge matters to a clock. The thread itself learns of
// the edge at once, so everything it hands out later has it: a clock needs the edge only if its
// time of that thread lies between the acquire and the moment the edge was found, which is rare and
// is decided by comparing two numbers.
//
// When all clocks in use have been adjusted, clear() forgets the edges: joins of adjusted clocks
// are adjusted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clocks/vector_clock.h"

namespace foretell::analysis {

// A vector clock and the number of the last extra edge it has been adjusted to.
struct AdjustableClock {
  clocks::VectorClock clock;
  uint64_t version = ~uint64_t{0};  // no edge matters to an empty clock

  clocks::Epoch head() const { return clock.head(); }
  clocks::Time operator[](ThreadId thread) const { return clock[thread]; }
  bool contains(clocks::Epoch e) const { return clock.contains(e); }
  void increment_head() { clock.increment_head(); }
  void join(const AdjustableClock& other) {
    clock.join(other.clock);
    version = std::min(version, other.version);
  }
};

class ExtraEdges {
 public:
  // Everything in `released` comes before the acquire after which `thread` was at time `opened`.
  // The thread is at time `now` and has `released` in its clock. `released` is adjusted.
  void add(ThreadId thread, clocks::Time opened, const clocks::VectorClock& released,
           clocks::Time now);

  // clock := adjust(clock).
  void adjust(AdjustableClock& k) const {
    if (k.version < version_) adjust_further(k.clock, k.version);
    k.version = version_;
  }

  // What a clock made now has been adjusted to.
  uint64_t version() const { return version_; }

  // An edge alone, without following others, orders `e` before the event of `thread` at `time`.
  bool leads(clocks::Epoch e, ThreadId thread, clocks::Time time) const;

  void clear();
  size_t size() const { return size_; }

  // For tests: f(r, acquiring thread, opened), r with all that comes before the same acquire.
  template <class F>
  void for_each(F&& f) const {
    for (const Target& target : targets_) {
      for (const Edge& edge : target.edges) f(edge.released, target.thread, edge.opened);
    }
  }

 private:
  struct Edge {
    clocks::Time opened;
    clocks::Time found;  // the latest time of the thread at which this or an earlier edge was found
    uint64_t version;    // when `released` last grew
    clocks::VectorClock released;  // of this and all earlier edges
  };
  struct Target {
    ThreadId thread;
    uint64_t version;         // of the latest edge
    std::vector<Edge> edges;  // by `opened`
  };

  // The last edge of `target` that is before an event of its thread at `time`, or null.
  static const Edge* last_before(const Target& target, clocks::Time time);
  void adjust_further(clocks::VectorClock& clock, uint64_t since) const;

  std::vector<Target> targets_;   // threads with an edge
  std::vector<uint32_t> row_of_;  // by thread: 1 + the number of its row in targets_
  size_t size_ = 0;
  uint64_t version_ = 0;
};

}  // namespace foretell::analysis

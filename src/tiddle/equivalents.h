// SPDX-License-Identifier: Apache-2.0

// Equivalent traces (PREDICT 24.6): all traces with the same happens-before relation.
//
// Two traces are equivalent if one comes from the other by swapping neighboring operations that do
// not conflict. Operations conflict if they are of the same thread or on the same lock (definition
// 2). For the kinds beyond the document:
//   - shared acquires and releases of one lock do not conflict with each other; requests conflict
//     with nothing; a failed try conflicts like an exclusive acquire;
//   - a fork precedes the child, a child the join;
//   - operations on the same condition conflict (a wait is also a release, a wake an acquire), and
//     so do operations on the same semaphore;
//   - every enter of a barrier's generation precedes its leaves, those every enter of the next;
//   - atomic accesses of a location conflict unless both read;
//   - an allocation precedes the accesses and the free of what it allocates, those the next
//     allocation.
// Accesses do not conflict: a race may go either way. If the values of the trace are known and an
// order would contradict them, that order is not a run and is left out. A read before the first
// write sees the initial value: what such reads of the given trace saw, otherwise 0 (24.1).
//
// Enumeration: repeatedly an operation all of whose predecessors are placed is placed next, in
// trace order, so the first trace is the given one. States from which no trace can be completed are
// remembered. Counting: dynamic programming over the same states; a state is the prefix placed of
// each thread, and the last writer of each location whose values matter.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/diagnostic.h"
#include "tiddle/compile.h"
#include "trace/trace.h"

namespace foretell::tiddle {

// Receives the raw events of one equivalent trace, renumbered. Returns whether to go on.
using EquivalentSink = std::function<bool(std::span<const trace::Event>)>;

// Hands at most `limit` equivalent traces to `sink`; returns how many. Fails if the trace is
// malformed.
Result<uint64_t> enumerate_equivalents(const TraceView& trace, uint64_t limit,
                                       const EquivalentSink& sink);

enum class CountOutcome {
  exact,      // `count` it is
  more_than,  // there are more than `count`, the limit
  gave_up,    // too many states: at least `count`, perhaps more
};
struct EquivalentCount {
  uint64_t count = 0;
  CountOutcome outcome = CountOutcome::exact;
};

Result<EquivalentCount> count_equivalents(const TraceView& trace, uint64_t limit,
                                          size_t max_states = 2'000'000);

}  // namespace foretell::tiddle

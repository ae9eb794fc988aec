// SPDX-License-Identifier: Apache-2.0

// AccessHistory: for each location, the latest access of every thread in each of four classes.
//
// The classes (read, write, atomic read, atomic write) are those that clash() in
// trace/event.h distinguishes: a plain write, or a free, clashes with all four, a plain read with
// writes of both kinds, an atomic access with plain ones only. If any access of a thread is
// unordered with a later event, so is the thread's latest of the same class; keeping that one
// therefore loses no racing access.
//
// Memory: two vectors per location, two more for those that are accessed atomically; an entry per
// thread and class. A free forgets what it comes after.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "analysis/race/access_vector.h"
#include "analysis/race/race_candidates.h"
#include "base/dense_table.h"

namespace foretell::analysis {

struct AtomicAccesses {
  AccessVector reads, writes;
};

class AccessHistory {
 public:
  // Adds to `out` what clashes with `e` and is unordered with `clock`, the clock of e.
  void collect_races(const trace::Event& e, const clocks::VectorClock& clock, RaceCandidates& out);

  // Calls f(const AccessEntry&) for every entry that clashes with `e`, and for those of its thread.
  template <class F>
  void for_each_clash(const trace::Event& e, F f) {
    const LocationState& state = locations_[e.location()];
    auto each = [&](const AccessVector& accesses) {
      for (const AccessEntry& a : accesses.entries()) f(a);
    };
    each(state.writes);
    if (is_write(e.kind) || e.kind == trace::EventKind::Free) each(state.reads);
    if (!state.has_atomics || is_atomic_access(e.kind)) return;
    const AtomicAccesses& atomics = atomics_[e.location()];
    each(atomics.writes);
    if (e.kind != trace::EventKind::Read) each(atomics.reads);
  }

  // The latest access of e's thread in e's class, or null.
  const AccessEntry* latest(const trace::Event& e) { return accesses_like(e).find(e.thread); }

  void record(const trace::Event& e, const clocks::VectorClock& clock) {
    record(e, clock.head(), clock);
  }
  // The same where `epoch` is not the head of the clock: a free forgets what `clock` contains.
  void record(const trace::Event& e, clocks::Epoch epoch, const clocks::VectorClock& clock);
  void forget(LocationId location);

 private:
  struct LocationState {
    AccessVector reads, writes;
    bool has_atomics = false;
  };

  AccessVector& accesses_like(const trace::Event& e);

  DenseTable<LocationState, LocationId> locations_;
  absl::flat_hash_map<LocationId, AtomicAccesses> atomics_;
};

}  // namespace foretell::analysis

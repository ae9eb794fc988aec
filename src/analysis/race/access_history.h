// AccessHistory: for each location, the latest access of every thread in each of four classes.
//
// The classes (read, write, atomic read, atomic write) are those clash() in trace/event.h tells
// apart: a plain write, or a free, clashes with all four, a plain read with writes of both kinds,
// an atomic access with plain ones only. If any access of a thread is unordered with a later event,
// so is the thread's latest of the same class; keeping that one therefore loses no racing access.
//
// Memory: two vectors per location, two more for those that are accessed atomically; an entry per
// thread and class. A free forgets what it comes after.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "analysis/race/access_vector.h"
#include "analysis/race/race_candidates.h"
#include "base/dense_table.h"

namespace foretell {

struct AtomicAccesses {
  AccessVector reads, writes;
};

class AccessHistory {
 public:
  // Adds to `out` what clashes with `e` and is unordered with `clock`, the clock of e.
  void collect_races(const Event& e, const VectorClock& clock, RaceCandidates& out);

  // The latest access of e's thread in e's class, or null.
  const AccessEntry* latest(const Event& e) { return accesses_like(e).find(e.thread); }

  void record(const Event& e, const VectorClock& clock);

 private:
  struct LocationState {
    AccessVector reads, writes;
    bool has_atomics = false;
  };

  AccessVector& accesses_like(const Event& e);

  DenseTable<LocationState, LocationId> locations_;
  absl::flat_hash_map<LocationId, AtomicAccesses> atomics_;
};

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/access_history.h"

namespace foretell::analysis {

AccessVector& AccessHistory::accesses_like(const trace::Event& e) {
  LocationState& state = locations_[e.location()];
  if (!is_atomic_access(e.kind))
    return e.kind == trace::EventKind::Read ? state.reads : state.writes;
  state.has_atomics = true;
  AtomicAccesses& atomics = atomics_[e.location()];
  return e.kind == trace::EventKind::AtomicRead ? atomics.reads : atomics.writes;
}

void AccessHistory::collect_races(const trace::Event& e, const clocks::VectorClock& clock,
                                  RaceCandidates& out) {
  for_each_clash(e, [&](const AccessEntry& a) { out.add_unordered(a, clock); });
}

void AccessHistory::record(const trace::Event& e, clocks::Epoch epoch,
                           const clocks::VectorClock& clock) {
  if (e.kind == trace::EventKind::Free) {
    LocationState& state = locations_[e.location()];
    state.reads.erase_before(clock);
    state.writes.erase_before(clock);
    if (state.has_atomics) {
      AtomicAccesses& atomics = atomics_[e.location()];
      atomics.reads.erase_before(clock);
      atomics.writes.erase_before(clock);
    }
  }
  accesses_like(e).set(AccessEntry::of(e, epoch));
}

void AccessHistory::forget(LocationId location) {
  LocationState& state = locations_[location];
  if (state.has_atomics) atomics_.erase(location);
  state = LocationState();
}

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/shadow_location.h"

#include <algorithm>

namespace foretell::analysis {

[[gnu::noinline]] void ShadowLocation::forget_reads() {
  reader_ = {};
  readers_.clear();
  overwritten_ = false;
}

[[gnu::noinline]] void ShadowLocation::share_read(const trace::Event& e,
                                                  const AdjustableClock& now) {
  if (reader_.exists()) readers_.push_back(std::exchange(reader_, {}));
  auto thread_of = [](const ClockedAccess& read) { return read.epoch().thread(); };
  auto at = std::ranges::lower_bound(readers_, e.thread, {}, thread_of);
  if (at == readers_.end() || thread_of(*at) != e.thread) at = readers_.insert(at, ClockedAccess());
  at->set(e, now);
}

void ShadowLocation::keep_plain_accesses() {
  if (plain) return;
  plain = std::make_unique<PlainAccesses>();
  if (write.exists()) plain->write = write.entry();
  for_each_read([&](const ClockedAccess& read) { plain->reads.set(read.entry()); });
}

void ShadowLocation::note_plain(const trace::Event& e, clocks::Epoch epoch) {
  if (is_atomic_access(e.kind)) return;
  if (e.kind == trace::EventKind::Read) {
    plain->reads.set(AccessEntry::of(e, epoch));
  } else {
    plain->write = AccessEntry::of(e, epoch);
    plain->reads.clear();
  }
}

clocks::VectorClock ShadowLocation::read_clock() {
  clocks::VectorClock joined;
  for_each_kept_read([&](const ClockedAccess& read) { joined.join(read.clock.clock); });
  return joined;
}

}  // namespace foretell::analysis

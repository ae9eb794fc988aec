// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/fasttrack/fasttrack.h"

namespace foretell::analysis {

[[gnu::noinline]] void FastTrack::check_writes(const trace::Event& e, const LocationState& x) {
  const clocks::VectorClock& clock = clocks_.clock(e.thread);
  if (!clock.contains(x.write())) [[unlikely]]
    candidates_.add_unordered(x.last_write(), clock);
  if (x.has_atomics && !is_atomic_access(e.kind)) [[unlikely]] {
    candidates_.add_unordered(atomics_[e.location()].writes, clock);
  }
}

[[gnu::noinline]] void FastTrack::check_reads(const trace::Event& e, const LocationState& x) {
  const clocks::VectorClock& clock = clocks_.clock(e.thread);
  if (x.read() == kShared) [[unlikely]] {
    candidates_.add_unordered(shared_reads_[x.read_index], clock);
  } else if (!clock.contains(x.read())) [[unlikely]] {
    candidates_.add_unordered(x.last_read(), clock);
  }
  if (x.has_atomics && !is_atomic_access(e.kind)) [[unlikely]] {
    candidates_.add_unordered(atomics_[e.location()].reads, clock);
  }
}

// A plain access that on_event did not find to be the same epoch.
[[gnu::noinline]] void FastTrack::plain_access(const trace::Event& e) {
  const clocks::Epoch now = clocks_.epoch(e.thread);
  LocationState& x = locations_[e.location()];
  if (e.kind == trace::EventKind::Read) {
    read(e, now, x);
  } else {
    write(e, now, x);
  }
}

void FastTrack::read(const trace::Event& e, clocks::Epoch now, LocationState& x) {
  if (x.read() == kShared) {
    const AccessEntry* mine = shared_reads_[x.read_index].find(e.thread);
    if (mine && mine->epoch == now) {
      ++read_shared_same_epoch_;
      return;
    }
  }
  const clocks::VectorClock& clock = clocks_.clock(e.thread);
  if (!clock.contains(x.write()) || x.has_atomics) [[unlikely]] {
    check_writes(e, x);
    candidates_.propose(e, clocks_);
  }
  if (x.read() == kShared) {
    ++read_shared_;
    shared_reads_[x.read_index].set(AccessEntry::of(e, now));
  } else if (clock.contains(x.read())) {
    ++read_exclusive_;
    x.read() = now;
    x.read_index = to_index(e.index);
    x.read_site = e.site;
  } else {
    read_share(e, now, x);
  }
}

[[gnu::noinline]] void FastTrack::read_share(const trace::Event& e, clocks::Epoch now,
                                             LocationState& x) {
  ++read_share_;
  if (unused_shared_reads_.empty()) {
    unused_shared_reads_.push_back(static_cast<uint32_t>(shared_reads_.size()));
    shared_reads_.emplace_back();
  }
  AccessVector& reads = shared_reads_[unused_shared_reads_.back()];
  reads.set(x.last_read());
  reads.set(AccessEntry::of(e, now));
  x.read() = kShared;
  x.read_index = unused_shared_reads_.back();
  unused_shared_reads_.pop_back();
}

void FastTrack::write(const trace::Event& e, clocks::Epoch now, LocationState& x) {
  const clocks::VectorClock& clock = clocks_.clock(e.thread);
  // No clock contains kShared.
  if (!clock.contains(x.write()) || !clock.contains(x.read()) || x.has_atomics) [[unlikely]] {
    check_writes(e, x);
    check_reads(e, x);
    candidates_.propose(e, clocks_);
  }
  if (x.read() == kShared) {
    ++write_shared_;
    end_shared_reads(x);
  } else {
    ++write_exclusive_;
  }
  if (x.has_atomics) [[unlikely]] {
    atomics_.erase(e.location());
    x.has_atomics = false;
  }
  x.write() = now;
  x.write_index = to_index(e.index) & ((uint64_t{1} << 62) - 1);
  x.write_site = e.site;
  x.freed = e.kind == trace::EventKind::Free;
}

[[gnu::noinline]] void FastTrack::end_shared_reads(LocationState& x) {
  shared_reads_[x.read_index].clear();
  unused_shared_reads_.push_back(static_cast<uint32_t>(x.read_index));
  x.read() = clocks::Epoch();
}

[[gnu::noinline]] void FastTrack::other(const trace::Event& e) {
  if (is_atomic_access(e.kind)) return atomic_access(e);
  if (e.kind == trace::EventKind::Free) {
    write(e, clocks_.epoch(e.thread), locations_[e.location()]);
  } else {
    ++others_;
  }
  clocks_.on_event(e);
}

void FastTrack::atomic_access(const trace::Event& e) {
  clocks_.before_access(e);
  const clocks::Epoch now = clocks_.epoch(e.thread);
  LocationState& x = locations_[e.location()];
  x.has_atomics = true;
  AtomicAccesses& atomics = atomics_[e.location()];
  const bool writes = is_write(e.kind);
  AccessVector& accesses = writes ? atomics.writes : atomics.reads;
  const AccessEntry* mine = accesses.find(e.thread);
  if (mine && mine->epoch == now) {
    ++atomic_same_epoch_;
  } else {
    ++atomic_first_in_epoch_;
    check_writes(e, x);
    if (writes) check_reads(e, x);
    candidates_.propose(e, clocks_);
    accesses.set(AccessEntry::of(e, now));
  }
  clocks_.after_access(e);
}

void FastTrack::report_counters(CounterSink& sink) const {
  sink.count("read same epoch", same_epoch_[0]);
  sink.count("read shared same epoch", read_shared_same_epoch_);
  sink.count("read exclusive", read_exclusive_);
  sink.count("read share", read_share_);
  sink.count("read shared", read_shared_);
  sink.count("write same epoch", same_epoch_[1]);
  sink.count("write exclusive", write_exclusive_);
  sink.count("write shared", write_shared_);
  sink.count("atomic first in epoch", atomic_first_in_epoch_);
  sink.count("atomic same epoch", atomic_same_epoch_);
  sink.count("other event", others_);
  sink.count("race", candidates_.proposed());
}

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

// AccessVector: the latest access of each thread to a location, of one class.
//
// It is a vector clock of accesses (R_x or W_x of PREDICT 8.1) that also remembers which events
// they were. Threads that never touched the location have no entry; entries are sorted by thread.
#pragma once

#include <algorithm>
#include <vector>

#include "clocks/vector_clock.h"
#include "finding/finding.h"

namespace foretell::analysis {

struct AccessEntry {
  clocks::Epoch epoch;
  EventIndex index = kNoEvent;
  SiteId site = kNoSite;
  trace::EventKind kind{};

  static AccessEntry of(const trace::Event& e, clocks::Epoch epoch) {
    return {epoch, e.index, e.site, e.kind};
  }
  finding::EventRef ref() const { return {index, epoch.thread(), kind, site}; }
};
static_assert(sizeof(AccessEntry) == 24);

class AccessVector {
 public:
  // The entry of `thread`, or null.
  const AccessEntry* find(ThreadId thread) const {
    const size_t at = position(thread);
    return holds(at, thread) ? &entries_[at] : nullptr;
  }

  void set(const AccessEntry& entry) {
    const size_t at = position(entry.epoch.thread());
    if (holds(at, entry.epoch.thread())) {
      entries_[at] = entry;
    } else {
      entries_.insert(entries_.begin() + static_cast<ptrdiff_t>(at), entry);
    }
  }

  // Forgets what happened before `clock`.
  void erase_before(const clocks::VectorClock& clock) {
    std::erase_if(entries_, [&](const AccessEntry& a) { return clock.contains(a.epoch); });
    entries_.shrink_to_fit();
  }
  void clear() { entries_.clear(); }

  const std::vector<AccessEntry>& entries() const { return entries_; }

 private:
  // Where the entry of `thread` is, or belongs. Threads are dense, so it is never beyond the
  // thread's number and, when all threads below have entries, exactly there.
  size_t position(ThreadId thread) const {
    const size_t guess = to_index(thread);
    if (holds(guess, thread)) return guess;
    auto end = entries_.begin() + static_cast<ptrdiff_t>(std::min(guess, entries_.size()));
    auto it = std::lower_bound(entries_.begin(), end, thread, [](const AccessEntry& a, ThreadId t) {
      return a.epoch.thread() < t;
    });
    return static_cast<size_t>(it - entries_.begin());
  }
  bool holds(size_t at, ThreadId thread) const {
    return at < entries_.size() && entries_[at].epoch.thread() == thread;
  }

  std::vector<AccessEntry> entries_;
};

}  // namespace foretell::analysis

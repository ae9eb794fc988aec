// AccessVector: the latest access of each thread to a location, of one class.
//
// It is a vector clock of accesses (R_x or W_x of PREDICT 8.1) that also remembers which events
// they were. Threads that never touched the location have no entry; entries are sorted by thread.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/finding.h"
#include "order/vector_clock.h"

namespace foretell {

struct AccessEntry {
  Epoch epoch;
  EventIndex index = kNoEvent;
  SiteId site = kNoSite;
  EventKind kind{};

  static AccessEntry of(const Event& e, Epoch epoch) { return {epoch, e.index, e.site, e.kind}; }
  EventRef ref() const { return {index, epoch.thread(), kind, site}; }
};
static_assert(sizeof(AccessEntry) == 24);

class AccessVector {
 public:
  // The entry of `thread`, or null.
  const AccessEntry* find(ThreadId thread) const {
    auto it = lower_bound(entries_, thread);
    return it != entries_.end() && it->epoch.thread() == thread ? &*it : nullptr;
  }

  void set(const AccessEntry& entry) {
    auto it = lower_bound(entries_, entry.epoch.thread());
    if (it != entries_.end() && it->epoch.thread() == entry.epoch.thread()) {
      *it = entry;
    } else {
      entries_.insert(it, entry);
    }
  }

  // Forgets what happened before `clock`.
  void erase_before(const VectorClock& clock) {
    std::erase_if(entries_, [&](const AccessEntry& a) { return clock.contains(a.epoch); });
    entries_.shrink_to_fit();
  }
  void clear() { entries_.clear(); }

  const std::vector<AccessEntry>& entries() const { return entries_; }

 private:
  template <class Entries>
  static auto lower_bound(Entries& entries, ThreadId thread) {
    return std::ranges::lower_bound(entries, thread, {},
                                    [](const AccessEntry& a) { return a.epoch.thread(); });
  }

  std::vector<AccessEntry> entries_;
};

}  // namespace foretell

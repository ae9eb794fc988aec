// SPDX-License-Identifier: Apache-2.0

// Happens-before from its definition: all direct edges, then their transitive closure.
//
// Written from the table of edges in clocks/sync_clocks.h and from the C++20 rules for atomics, with
// no clocks and no incremental state: whether a pair is an edge is decided by looking at the whole
// trace. Cubic; for small traces.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "trace/event.h"

namespace foretell::clocks {

class NaiveHappensBefore {
 public:
  explicit NaiveHappensBefore(std::span<const trace::Event> events)
      : events_(events), before_(events.size(), std::vector<bool>(events.size(), false)) {
    for (size_t b = 0; b < events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (is_hard_edge(a, b)) before_[a][b] = true;
      }
      add_atomic_edges(b);
    }
    hard_ = before_;
    for (size_t b = 0; b < events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (is_lock_edge(a, b) || events[a].thread == events[b].thread) before_[a][b] = true;
      }
    }
    for (size_t k = 0; k < events.size(); ++k) {
      for (size_t a = 0; a < k; ++a) {
        if (!before_[a][k]) continue;
        for (size_t b = k + 1; b < events.size(); ++b) {
          if (before_[k][b]) before_[a][b] = true;
        }
      }
    }
  }

  // Positions a < b.
  bool before(size_t a, size_t b) const { return before_[a][b]; }
  // An edge that is neither program order nor a lock's, and not closed under anything.
  bool hard_edge(size_t a, size_t b) const { return hard_[a][b]; }
  // Of memory: what is destroyed while it is used is no data race.
  bool race(size_t a, size_t b) const {
    return trace::is_access(events_[a].kind) && clash(events_[a], events_[b]) && !before(a, b);
  }

 private:
  using K = trace::EventKind;

  bool is_lock_edge(size_t i, size_t j) const {
    const trace::Event &a = events_[i], &b = events_[j];
    const bool takes_exclusive = b.kind == K::Acquire || b.kind == K::WaitEnd;
    if (a.kind == K::Release || a.kind == K::WaitBegin) {
      return (takes_exclusive || b.kind == K::AcquireShared) && a.lock() == b.lock();
    }
    return a.kind == K::ReleaseShared && takes_exclusive && a.lock() == b.lock();
  }

  bool is_hard_edge(size_t i, size_t j) const {
    const trace::Event &a = events_[i], &b = events_[j];
    if (a.kind == K::BarrierEnter && b.kind == K::BarrierExit) {
      return a.object == b.object && a.generation() == b.generation();
    }
    if (a.thread == b.thread) return false;
    if (a.kind == K::Fork && a.other_thread() == b.thread) return true;
    if (b.kind == K::Join && b.other_thread() == a.thread) return true;
    // What lies between them in the thread, if anything, makes the same edge.
    if (a.kind == K::Fork && b.kind == K::Join && a.other_thread() == b.other_thread()) return true;
    if (a.kind == K::NotifyOne || a.kind == K::NotifyAll) {
      return b.kind == K::WaitEnd && b.partner() == a.index;
    }
    return a.kind == K::SemaphorePost && b.kind == K::SemaphoreWait && b.partner() == a.index;
  }

  // The atomic write whose value an atomic access at `i` finds in the location.
  std::optional<size_t> read_from(size_t i) const {
    for (size_t w = i; w-- > 0;) {
      const trace::Event& e = events_[w];
      if (e.object != events_[i].object) continue;
      if (e.kind == K::Free) return {};
      if (e.kind == K::AtomicWrite || e.kind == K::AtomicRmw) return w;
    }
    return {};
  }

  // The event by which a write at `w` releases: itself, or the last release fence before it.
  std::optional<size_t> release_of(size_t w) const {
    if (trace::is_release(events_[w].order)) return w;
    for (size_t f = w; f-- > 0;) {
      const trace::Event& e = events_[f];
      if (e.thread == events_[w].thread && e.kind == K::Fence && trace::is_release(e.order))
        return f;
    }
    return {};
  }

  // What a thread reads of its own teaches it nothing, and by definition makes no hard edge. A
  // store begins a release sequence; a read-modify-write that acquires and releases stands for all
  // of it.
  bool only_own_releases(size_t read) const {
    for (auto w = read_from(read); w; w = read_from(*w)) {
      const trace::Event& write = events_[*w];
      if (release_of(*w) && write.thread != events_[read].thread) return false;
      const bool stands_for_all = trace::is_acquire(write.order) && trace::is_release(write.order);
      if (write.kind == K::AtomicWrite || stands_for_all) break;
    }
    return true;
  }

  void add_atomic_edges(size_t read) {
    const trace::Event& e = events_[read];
    if (e.kind != K::AtomicRead && e.kind != K::AtomicRmw) return;
    if (only_own_releases(read)) return;
    std::vector<size_t> acquires;
    if (trace::is_acquire(e.order)) acquires.push_back(read);
    for (size_t f = read + 1; f < events_.size(); ++f) {
      const trace::Event& g = events_[f];
      if (g.thread == e.thread && g.kind == K::Fence && trace::is_acquire(g.order))
        acquires.push_back(f);
    }
    for (auto w = read_from(read); w; w = read_from(*w)) {
      if (auto release = release_of(*w)) {
        for (size_t acquire : acquires) before_[*release][acquire] = true;
      }
      if (events_[*w].kind != K::AtomicRmw) break;
    }
  }

  std::span<const trace::Event> events_;
  std::vector<std::vector<bool>> before_, hard_;
};

}  // namespace foretell::clocks

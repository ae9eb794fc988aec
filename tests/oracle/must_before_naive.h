// SPDX-License-Identifier: Apache-2.0

// The must-before relation from its definition (PREDICT 14, definition 8), as a matrix.
//
// All direct edges, then transitive closure and condition 3 in turn until nothing changes. No
// clocks, no state that grows with the trace. What the document lacks is added as
// src/analysis/race/must_before says it is: atomics are volatile, barriers and semaphores are hard
// edges, shared sections of one lock do not order each other, sections that are open at the end of
// the trace end there.
#pragma once

#include <algorithm>
#include <vector>

#include "oracle.h"

namespace foretell::oracle {

class NaiveMustBefore {
 public:
  explicit NaiveMustBefore(const trace::Trace& trace)
      : accesses_(trace.events.size()), events_(trace.events) {
    find_sections();
    const size_t n = events_.size();
    before_.assign(n, std::vector<char>(n, 0));
    for (size_t b = 0; b < n; ++b) {
      for (size_t a = 0; a < b; ++a) before_[a][b] = is_edge(events_[a], events_[b]);
    }
    do {
      close_transitively();
    } while (apply_condition_3());
  }

  bool before(Position a, Position b) const { return before_[a][b]; }

  // No event of b's thread that precedes b comes after a; the fork counts as one of them.
  bool race(Position a, Position b) const {
    if (!is_access(events_[a].kind) || !clash(events_[a], events_[b])) return false;
    for (Position c = 0; c < b; ++c) {
      const bool precedes =
          events_[c].thread == events_[b].thread ||
          (events_[c].kind == K::Fork && events_[c].other_thread() == events_[b].thread);
      if (precedes && before_[a][c]) return false;
    }
    return true;
  }

  std::set<Pair> races() const {
    std::set<Pair> result;
    for (Position b = 0; b < accesses_; ++b) {
      for (Position a = 0; a < b; ++a) {
        if (race(a, b)) result.emplace(a, b);
      }
    }
    return result;
  }

 private:
  using K = trace::EventKind;
  struct Section {
    ThreadId thread;
    LockId lock;
    bool shared;
    size_t acquire, release;
  };

  static bool is_notify(const trace::Event& e) {
    return e.kind == K::NotifyOne || e.kind == K::NotifyAll;
  }

  // a is earlier in the trace.
  static bool is_edge(const trace::Event& a, const trace::Event& b) {
    if (a.thread == b.thread) return true;
    // CO; atomic accesses of one location are ordered like clashing ones (figure 16.1).
    if (is_access(a.kind) && is_access(b.kind) && a.object == b.object) {
      auto only_reads = [](K kind) { return kind == K::Read || kind == K::AtomicRead; };
      return !only_reads(a.kind) || !only_reads(b.kind);
    }
    if (a.kind == K::Fork && a.other_thread() == b.thread) return true;
    if (b.kind == K::Join && b.other_thread() == a.thread) return true;
    // A thread without events still hands on what its fork knew.
    if (a.kind == K::Fork && b.kind == K::Join && a.object == b.object) return true;
    if (is_notify(a) && is_notify(b)) return a.condition() == b.condition();
    if (is_notify(a) && b.kind == K::WaitEnd) {
      return a.condition() == b.condition() && b.partner() != kNoEvent;
    }
    if (a.kind == K::BarrierEnter && b.kind == K::BarrierExit) {
      return a.object == b.object && a.generation() == b.generation();
    }
    return a.kind == K::SemaphorePost && b.kind == K::SemaphoreWait && b.partner() == a.index;
  }

  void find_sections() {
    for (size_t i = 0; i < accesses_; ++i) {
      const trace::Event& e = events_[i];
      const bool shared = e.kind == K::AcquireShared || e.kind == K::ReleaseShared;
      if (e.kind == K::Acquire || e.kind == K::AcquireShared || e.kind == K::WaitEnd) {
        sections_.push_back({e.thread, e.lock(), shared, i, kOpen});
      } else if (e.kind == K::Release || e.kind == K::ReleaseShared || e.kind == K::WaitBegin) {
        auto open = std::ranges::find_if(sections_, [&](const Section& s) {
          return s.thread == e.thread && s.lock == e.lock() && s.shared == shared &&
                 s.release == kOpen;
        });
        if (open != sections_.end()) open->release = i;
      }
    }
    for (auto s = sections_.rbegin(); s != sections_.rend(); ++s) {
      if (s->release != kOpen) continue;
      s->release = events_.size();
      events_.push_back({.kind = s->shared ? K::ReleaseShared : K::Release,
                         .thread = s->thread,
                         .object = static_cast<uint32_t>(s->lock)});
    }
  }

  void close_transitively() {
    const size_t n = events_.size();
    for (size_t k = 0; k < n; ++k) {
      for (size_t a = 0; a < k; ++a) {
        if (!before_[a][k]) continue;
        for (size_t b = k + 1; b < n; ++b) before_[a][b] |= before_[k][b];
      }
    }
  }

  bool apply_condition_3() {
    bool changed = false;
    for (const Section& k : sections_) {
      for (const Section& h : sections_) {
        if (&k == &h || k.lock != h.lock || (k.shared && h.shared)) continue;
        if (!before_[k.acquire][h.release] || before_[k.release][h.acquire]) continue;
        before_[k.release][h.acquire] = 1;
        changed = true;
      }
    }
    return changed;
  }

  static constexpr size_t kOpen = static_cast<size_t>(-1);
  size_t accesses_;  // events of the trace itself
  std::vector<trace::Event> events_;
  std::vector<Section> sections_;
  std::vector<std::vector<char>> before_;
};

}  // namespace foretell::oracle

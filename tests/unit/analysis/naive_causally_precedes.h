// SPDX-License-Identifier: Apache-2.0

// Causally-precedes and weak-causally-precedes from their definitions, by iterating to a fixpoint.
//
// PREDICT, definition 5, and Kini, Mathur, Viswanathan, PLDI 2017, definition 3, with
// happens-before and the hard edges of NaiveHappensBefore. No clocks; sections, their contents and
// their pairs are found by looking at the whole trace again and again. For small traces.
#pragma once

#include <span>
#include <vector>

#include "unit/clocks/naive_happens_before.h"

namespace foretell::analysis {

enum class WeakOrder { causally_precedes, wcp };

class NaiveCausallyPrecedes {
 public:
  NaiveCausallyPrecedes(std::span<const trace::Event> events, WeakOrder order)
      : events_(events), hb_(events), order_(order), before_(events.size(), Row(events.size())) {
    find_sections();
    for (size_t b = 0; b < events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) before_[a][b] = hb_.hard_edge(a, b);
    }
    rule_a();
    do {
      rule_c();
    } while (rule_b());
  }

  const clocks::NaiveHappensBefore& happens_before() const { return hb_; }

  // Positions a < b.
  bool before(size_t a, size_t b) const { return before_[a][b]; }
  bool race(size_t a, size_t b) const {
    return trace::is_access(events_[a].kind) && clash(events_[a], events_[b]) && !before(a, b);
  }

 private:
  using K = trace::EventKind;
  using Row = std::vector<bool>;
  struct Section {
    size_t acquire;
    size_t end;  // the release; or the last event of the thread, if the section is open
    bool is_closed;
    bool shared;
  };

  void find_sections() {
    for (size_t a = 0; a < events_.size(); ++a) {
      const trace::Event& e = events_[a];
      const bool shared = e.kind == K::AcquireShared;
      if (!shared && e.kind != K::Acquire && e.kind != K::WaitEnd) continue;
      Section section{a, a, false, shared};
      for (size_t r = a + 1; r < events_.size() && !section.is_closed; ++r) {
        const trace::Event& f = events_[r];
        if (f.thread != e.thread) continue;
        section.end = r;
        const bool releases =
            f.kind == K::Release || f.kind == K::WaitBegin || f.kind == K::ReleaseShared;
        section.is_closed = releases && f.lock() == e.lock();
      }
      sections_.push_back(section);
    }
  }

  // Two sections of a lock that exclude each other, in this order.
  bool exclude(const Section& k, const Section& h) const {
    return k.is_closed && k.end < h.acquire &&
           events_[k.acquire].lock() == events_[h.acquire].lock() && !(k.shared && h.shared);
  }

  static bool conflict(const trace::Event& a, const trace::Event& b) {
    if (a.thread == b.thread || a.object != b.object) return false;
    auto notifies = [](const trace::Event& e) {
      return e.kind == K::NotifyOne || e.kind == K::NotifyAll;
    };
    if (a.kind == K::WaitBegin || b.kind == K::WaitBegin) return notifies(a) || notifies(b);
    auto reads = [](const trace::Event& e) { return e.kind == K::Read || e.kind == K::AtomicRead; };
    return is_access(a.kind) && is_access(b.kind) && !(reads(a) && reads(b));
  }

  void rule_a() {
    for (const Section& k : sections_) {
      for (const Section& h : sections_) {
        if (!exclude(k, h)) continue;
        for (size_t a = k.acquire; a <= k.end; ++a) {
          if (events_[a].thread != events_[k.acquire].thread) continue;
          for (size_t b = h.acquire; b <= h.end; ++b) {
            if (events_[b].thread != events_[h.acquire].thread) continue;
            if (!conflict(events_[a], events_[b])) continue;
            before_[k.end][order_ == WeakOrder::wcp ? b : h.acquire] = true;
          }
        }
      }
    }
  }

  bool rule_b() {
    bool changed = false;
    for (const Section& k : sections_) {
      for (const Section& h : sections_) {
        if (!exclude(k, h) || !before_[k.acquire][h.end]) continue;
        if (order_ == WeakOrder::wcp && !h.is_closed) continue;
        const size_t to = order_ == WeakOrder::wcp ? h.end : h.acquire;
        if (!before_[k.end][to]) changed = true;
        before_[k.end][to] = true;
      }
    }
    return changed;
  }

  void rule_c() {
    const size_t n = events_.size();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t a = 0; a < n; ++a) {
        for (size_t m = a + 1; m < n; ++m) {
          for (size_t b = m + 1; b < n; ++b) {
            if (before_[a][b]) continue;
            if ((before_[a][m] && hb_.before(m, b)) || (hb_.before(a, m) && before_[m][b])) {
              changed = before_[a][b] = true;
            }
          }
        }
      }
    }
  }

  std::span<const trace::Event> events_;
  clocks::NaiveHappensBefore hb_;
  WeakOrder order_;
  std::vector<Section> sections_;
  std::vector<Row> before_;
};

}  // namespace foretell::analysis

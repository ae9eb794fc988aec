// SPDX-License-Identifier: Apache-2.0

// OrderRaces: the clashing accesses that an order weaker than happens-before leaves unordered.
//
// For CP and WCP. An access is compared with the latest clashing access of every other thread and
// class (AccessHistory). Both orders are closed under composition with happens-before, so if any
// access of a thread is unordered with a later event, the thread's latest of the same class is too:
// every second access of a race is reported, with the latest first access of each thread and class.
//
// Repeated accesses are skipped where they cannot race: the thread accessed the location in the
// same epoch in the same way, that was not a race, and no other thread has accessed it in a
// clashing way since. A thread's order only grows.
#pragma once

#include "analysis/race/access_history.h"
#include "analysis/race/race_candidates.h"
#include "base/dense_table.h"

namespace foretell::analysis {

class OrderRaces {
 public:
  OrderRaces(const AnalysisOptions& options, ProposalSink& sink) : candidates_(options, sink) {}

  // `order` has epoch(thread), and clock(thread) and order_after() as RaceCandidates needs them.
  // The clock need not know of its own thread.
  template <class Order>
  void on_access(const trace::Event& e, Order& order) {
    const clocks::Epoch now = order.epoch(e.thread);
    Clean& clean = clean_[e.location()];
    const bool reads = e.kind == trace::EventKind::Read;
    if ((reads ? clean.read : clean.write) == now && is_plain_access(e.kind)) {
      ++repeated_;
      return;
    }
    const uint64_t before = candidates_.proposed();
    const clocks::VectorClock& clock = order.clock(e.thread);
    history_.for_each_clash(e, [&](const AccessEntry& earlier) {
      if (earlier.epoch.thread() != e.thread) candidates_.add_unordered(earlier, clock);
    });
    candidates_.propose(e, order);
    history_.record(e, order.epoch(e.thread), order.clock(e.thread));
    note(e, candidates_.proposed() == before ? now : clocks::Epoch(), clean);
  }

  uint64_t proposed() const { return candidates_.proposed(); }
  uint64_t repeated() const { return repeated_; }

 private:
  struct Clean {
    clocks::Epoch read, write;  // zero: no thread's repetition may be skipped
  };

  void note(const trace::Event& e, clocks::Epoch clean_at, Clean& clean) {
    if (e.kind == trace::EventKind::Read || e.kind == trace::EventKind::AtomicRead) {
      clean.read = e.kind == trace::EventKind::Read ? clean_at : clocks::Epoch();
      if (clean.write.thread() != e.thread) clean.write = clocks::Epoch();
    } else {
      clean.read = clocks::Epoch();
      clean.write = e.kind == trace::EventKind::Write ? clean_at : clocks::Epoch();
    }
  }

  AccessHistory history_;
  RaceCandidates candidates_;
  DenseTable<Clean, LocationId> clean_;
  uint64_t repeated_ = 0;
};

}  // namespace foretell::analysis

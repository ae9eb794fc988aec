// SPDX-License-Identifier: Apache-2.0

// RaceCandidates: the earlier accesses one access may race with, on their way to the sink.
//
// With AnalysisOptions::order_after_race the nearest earlier access comes first, its thread counts
// as ordered before the access from then on, and pairs ordered by that are not reported: "the first
// race is the one that finishes earliest", and of several with the same end the shortest (PREDICT,
// appendix B). Otherwise all are proposed, in trace order.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/access_vector.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class RaceCandidates {
 public:
  RaceCandidates(const AnalysisOptions& options, ProposalSink& sink)
      : options_(options), sink_(sink) {}

  // Takes what is unordered with an access at `clock`.
  void add_unordered(const AccessEntry& earlier, const clocks::VectorClock& clock) {
    if (!clock.contains(earlier.epoch)) [[unlikely]]
      earlier_.push_back(earlier);
  }
  void add_unordered(const AccessVector& earlier, const clocks::VectorClock& clock) {
    for (const AccessEntry& a : earlier.entries()) add_unordered(a, clock);
  }

  void add(const AccessEntry& earlier) { earlier_.push_back(earlier); }

  // Proposes what was added, with `second` as the later access, and is empty again. `order` is
  // SyncClocks, or another order with the same clock() and order_after().
  template <class Order>
  void propose(const trace::Event& second, Order& order) {
    if (!earlier_.empty()) [[unlikely]]
      propose_all(second, order);
  }

  uint64_t proposed() const { return proposed_; }

 private:
  template <class Order>
  [[gnu::noinline]] void propose_all(const trace::Event& second, Order& order) {
    sort();
    for (const AccessEntry& first : earlier_) {
      if (order.clock(second.thread).contains(first.epoch)) continue;
      ++proposed_;
      sink_.propose(
          finding::Proposal::race(second.location(), first.ref(), finding::EventRef::of(second)));
      if (options_.order_after_race) order.order_after(first.epoch.thread(), second.thread);
    }
    earlier_.clear();
  }
  void sort();

  const AnalysisOptions options_;
  ProposalSink& sink_;
  std::vector<AccessEntry> earlier_;
  uint64_t proposed_ = 0;
};

}  // namespace foretell::analysis

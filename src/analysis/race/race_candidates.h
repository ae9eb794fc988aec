// RaceCandidates: the earlier accesses one access may race with, on their way to the sink.
//
// With AnalysisOptions::order_after_race the nearest earlier access comes first, its thread counts
// as ordered before the access from then on, and what that orders is no race any more: "the first
// race is the one that finishes earliest", and of several with the same end the shortest (PREDICT,
// appendix B). Otherwise all are proposed, in trace order.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/access_vector.h"
#include "order/sync_clocks.h"

namespace foretell {

class RaceCandidates {
 public:
  RaceCandidates(const AnalysisOptions& options, ProposalSink& sink)
      : options_(options), sink_(sink) {}

  // Takes what is unordered with an access at `clock`.
  void add_unordered(const AccessEntry& earlier, const VectorClock& clock) {
    if (!clock.contains(earlier.epoch)) [[unlikely]]
      earlier_.push_back(earlier);
  }
  void add_unordered(const AccessVector& earlier, const VectorClock& clock) {
    for (const AccessEntry& a : earlier.entries()) add_unordered(a, clock);
  }

  // Proposes what was added, with `second` as the later access, and is empty again.
  void propose(const Event& second, SyncClocks& clocks) {
    if (!earlier_.empty()) [[unlikely]]
      propose_all(second, clocks);
  }

  uint64_t proposed() const { return proposed_; }

 private:
  void propose_all(const Event& second, SyncClocks& clocks);

  const AnalysisOptions options_;
  ProposalSink& sink_;
  std::vector<AccessEntry> earlier_;
  uint64_t proposed_ = 0;
};

}  // namespace foretell

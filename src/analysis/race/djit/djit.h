// SPDX-License-Identifier: Apache-2.0

// DJIT+ (Pozniansky and Schuster, Efficient on-the-fly data race detection, PPoPP 2003).
//
// Happens-before detection (analysis/race/happens_before) that looks only at a thread's first read
// and first write of a location in each of its segments, the stretches between two release-like
// events. Later ones of the segment can only race with what the first one raced with, or with an
// access that was itself found racing with the first.
//
// Cost: constant for repeated accesses, else O(threads that accessed x). It reports the same
// locations and the same first race of each as happens_before, with fewer pairs after it, and
// names a segment's first access where happens_before names the last.
#pragma once

#include "analysis/analysis.h"
#include "analysis/race/access_history.h"
#include "analysis/race/race_candidates.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class Djit final : public AnalysisOf<Djit> {
 public:
  Djit(const AnalysisOptions& options, ProposalSink& sink) : candidates_(options, sink) {}

  void on_event(const trace::Event& e);
  void report_counters(CounterSink& sink) const override;

 private:
  clocks::SyncClocks clocks_;
  AccessHistory history_;
  RaceCandidates candidates_;
  uint64_t first_in_segment_ = 0, repeated_in_segment_ = 0, others_ = 0;
};

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

// Happens-before race detection with plain vector clocks (PREDICT 8.1, figure 8.1).
//
// Two clashing accesses race if happens-before (clocks/sync_clocks.h) orders neither before the
// other. The state is C and U (SyncClocks) and, for each location x, R_x and W_x: the time of each
// thread's last read and write (AccessHistory). A read races if W_x is not ⊑ C_t, a write if R_x or
// W_x is not; the entries that are not are the earlier accesses.
//
// Cost: O(threads that accessed x) per access; memory O(threads × locations). It reports a second
// access exactly when some earlier access races with it, together with the last such access of each
// thread and class. It may miss races the observed order of critical sections hides.
#pragma once

#include "analysis/analysis.h"
#include "analysis/race/access_history.h"
#include "analysis/race/race_candidates.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class HappensBefore final : public AnalysisOf<HappensBefore> {
 public:
  HappensBefore(const AnalysisOptions& options, ProposalSink& sink) : candidates_(options, sink) {}

  void on_event(const trace::Event& e);
  void report_counters(CounterSink& sink) const override;

 private:
  clocks::SyncClocks clocks_;
  AccessHistory history_;
  RaceCandidates candidates_;
  uint64_t reads_ = 0, writes_ = 0, others_ = 0;
};

}  // namespace foretell::analysis

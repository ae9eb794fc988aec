// SPDX-License-Identifier: Apache-2.0

// HBTOOL: happens-before with communication order (PREDICT 17.2).
//
// Communication order relates conflicting accesses of a location as they were recorded: a write to
// every later access, a read to every later write. Under sequential consistency it is as binding as
// happens-before, and must-before contains it (definition 8). HBTOOL is the document's measure for
// what tracking it costs: happens-before (clocks/sync_clocks.h) and communication order together,
// but no prediction. Two clashing accesses race if the second one's thread does not know the first
// before it makes the second (the rule of chapter 14: the edge between the two does not count).
//
// State, for each location x: the clock of its last write, which contains all accesses before it,
// and the join of the clocks of the reads since. An access compares, learns, and publishes its
// clock; what its thread does next has another epoch.
//
// Atomic accesses communicate like plain ones, whatever their memory order, as in must_before. Two
// of them do not race.
//
// Its races are among those of happens_before, and of shb, whose order has only the edges from
// writes to reads: for reads, writes, locks, fork and join every race is real. Other kinds have
// constraints that it does not know (shb.h lists them); there the judge decides.
//
// Cost: O(threads) per access, and two clocks per location. It misses what any observed order
// hides, also that of racing accesses.
#pragma once

#include "analysis/analysis.h"
#include "analysis/race/access_history.h"
#include "analysis/race/race_candidates.h"
#include "base/dense_table.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class HbTool final : public AnalysisOf<HbTool> {
 public:
  HbTool(const AnalysisOptions& options, ProposalSink& sink) : candidates_(options, sink) {}

  void on_event(const trace::Event& e);
  void report_counters(CounterSink& sink) const override;

 private:
  struct Location {
    clocks::VectorClock write;  // of the last write
    clocks::VectorClock reads;  // since then
  };

  void communicate(const trace::Event& e);
  void learn(ThreadId thread, const clocks::VectorClock& clock);

  clocks::SyncClocks clocks_;
  AccessHistory history_;
  RaceCandidates candidates_;
  DenseTable<Location, LocationId> locations_;
  uint64_t reads_ = 0, writes_ = 0, communications_ = 0, others_ = 0;
};

}  // namespace foretell::analysis

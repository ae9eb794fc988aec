// SPDX-License-Identifier: Apache-2.0

// Schedulable happens-before (Mathur, Kini, Viswanathan, OOPSLA 2018): every race it reports is
// real.
//
// Of the races that happens-before reports only the first is certain: after it, a read may have
// returned what another schedule would not have written. SHB orders a read after the write it
// returned. Then for each unordered pair, what is before the two accesses, run in the recorded
// order, is a correct reordering that ends with both about to run. An access is compared before its
// own reads-from edge is added: the two accesses of a race need not read what they read in the
// trace.
//
// For the theorem to hold beyond reads, writes and locks, everything that docs/semantics.md asks of
// an event to be enabled in the recorded order must be before it. To happens-before
// (clocks/sync_clocks.h) are added, as edges into the event on the right:
//   the last write of the location        its reads, whatever the memory order
//   a free of the location                its later accesses
//   the acquire of a present holder       a failed try of the lock
//   waits and notifies of the condition   later notifies of it
//   enters of the previous generation     enters of a barrier
// A free also ends the history of the location: an access before it and one after it cannot run
// next to each other. Two exceptions are left to the judge: an access comes after the allocation of
// its memory, but which locations an allocation began is not in the stream; and reads whose writer
// is unknown (--parallel recordings) are enabled in no reordering.
//
// Cost: O(threads that accessed x) per access. Memory: a clock and vectors per location. It misses
// races that need critical sections in another order than the recorded one.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/access_history.h"
#include "analysis/race/race_candidates.h"
#include "base/dense_table.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class Shb final : public AnalysisOf<Shb> {
 public:
  Shb(const AnalysisOptions& options, ProposalSink& sink) : candidates_(options, sink) {}

  void on_event(const trace::Event& e);
  void report_counters(CounterSink& sink) const override;

 private:
  struct Holder {
    ThreadId thread;
    clocks::VectorClock acquire;
  };
  struct Location {
    clocks::VectorClock write;
    clocks::VectorClock free;
  };
  struct Barrier {
    uint64_t generation = 0;
    clocks::VectorClock enters, previous;
  };

  void access(const trace::Event& e);
  void sync(const trace::Event& e);
  void acquire(const trace::Event& e);
  void release(const trace::Event& e);
  void failed_try(const trace::Event& e);
  void notify(const trace::Event& e);
  void barrier_enter(const trace::Event& e);
  // The clock of the present event, which later ones will learn: its thread's next gets a new
  // epoch.
  clocks::VectorClock publish(ThreadId thread);

  clocks::SyncClocks clocks_;
  AccessHistory history_;
  RaceCandidates candidates_;
  DenseTable<Location, LocationId> locations_;
  DenseTable<std::vector<Holder>, LockId> holders_;
  absl::flat_hash_map<ConditionId, clocks::VectorClock> conditions_;
  DenseTable<Barrier, BarrierId> barriers_;
  uint64_t reads_ = 0, reads_from_ = 0, writes_ = 0, others_ = 0;
};

}  // namespace foretell::analysis

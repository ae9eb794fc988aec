// SPDX-License-Identifier: Apache-2.0

// Sync-preserving deadlocks (Tunc, Mathur, Pavlogiannis, Viswanathan: Sound dynamic deadlock
// prediction in linear time, PLDI 2023).
//
// A cycle of acquires (deadlock/lock_cycles.h) is an abstract pattern: each of its nodes stands for
// all acquires of a thread with the same lock, held locks and site. A choice of one acquire of
// each is a deadlock after a sync-preserving reordering (docs/semantics.md) if and only if the
// least closed set of events that brings the threads there (race/sync_preserving/ideals.h) contains
// none of them. If it does contain one, no choice with that one and later ones of the other nodes
// does better, so the choice moves on to that node's first acquire outside the set, and the set
// grows on: each acquire of the pattern is looked at once.
//
// Sound: everything proposed is a deadlock, and the set in recorded order the witness. Complete for
// its class: of each pattern that has a deadlock, the first one is proposed. Misses those that need
// two critical sections swapped, and every deadlock over something else than locks.
//
// Two passes, or one if no cycle of locks is left. Cost: as sync_preserving, and for each pattern its acquires x threads. Memory: as
// ideals.h, and 24 bytes per acquire inside another section.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/deadlock/lock_cycles.h"
#include "analysis/race/sync_preserving/ideals.h"
#include "analysis/race/sync_preserving/sharing.h"

namespace foretell::analysis {

class SyncPreservingDeadlocks final : public AnalysisOf<SyncPreservingDeadlocks> {
 public:
  SyncPreservingDeadlocks(const AnalysisOptions& options, ProposalSink& sink)
      : options_(options), sink_(sink), sharing_(options) {}

  void on_event(const trace::Event& e);
  void finish() override;
  bool wants_another_pass() override { return ++passes_ < 2 && ideals_; }
  void report_counters(CounterSink& counters) const override;

 private:
  // An acquire, and what must have happened for it to be next.
  struct Instance {
    EventIndex index;
    Step step;
    ClockId ideal;
    trace::EventKind kind;
  };
  struct Instances {
    ThreadId thread{};
    SiteId site = kNoSite;
    std::vector<Instance> all;
  };

  void look(const trace::Event& e);
  void access(const trace::Event& e);
  void note(LockCycles::NodeId node, const trace::Event& e);
  void check(std::span<const LockCycles::NodeId> pattern);

  const AnalysisOptions options_;
  ProposalSink& sink_;
  SharingUse sharing_;
  uint32_t passes_ = 0;
  std::unique_ptr<Ideals> ideals_;                   // from the second pass on, if there are cycles
  std::optional<LockCycles> cycles_{std::in_place};  // anew in the second pass
  std::vector<Instances> nodes_;
  uint64_t writes_ = 0;
  uint64_t nested_acquires_ = 0, patterns_ = 0, closures_ = 0, deadlocks_ = 0;
  std::optional<size_t> cut_off_at_;  // threads
};

}  // namespace foretell::analysis

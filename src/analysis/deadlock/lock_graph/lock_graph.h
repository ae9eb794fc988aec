// SPDX-License-Identifier: Apache-2.0

// lock_graph: locks that threads take in opposite orders.
//
// Cycles of acquires (deadlock/lock_cycles.h), each wanting a lock that the thread of the next one
// holds, are deadlocks if the threads can get there at the same time. The judge decides whether
// they can.
//
// Acquires of the same thread, lock, held locks and site are the same node; the first few stand for
// all of them. Cost: events x locks held; then a search over nodes, cut off and counted when it
// grows too long. Memory: nodes. Complete, up to these bounds, for cycles of acquires; everything
// proposed is only possible until it is judged.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/deadlock/instance_choices.h"
#include "analysis/deadlock/lock_cycles.h"

namespace foretell::analysis {

class LockGraph final : public AnalysisOf<LockGraph> {
 public:
  LockGraph(const AnalysisOptions&, ProposalSink& sink) : sink_(sink) {}

  void on_event(const trace::Event& e);
  void finish() override;
  void report_counters(CounterSink& sink) const override;

  static constexpr size_t kMostInstances = 4;  // of one node
  static constexpr uint64_t kMostProposals = 100'000;

 private:
  using Cycle = std::span<const LockCycles::NodeId>;

  void propose(Cycle cycle);

  ProposalSink& sink_;
  LockCycles cycles_;
  std::vector<std::vector<finding::EventRef>> instances_;  // by node
  ChoiceQuota quota_;
  uint64_t nested_acquires_ = 0, found_ = 0, proposals_ = 0, not_all_choices_ = 0, alike_ = 0;
  std::optional<size_t> cut_off_at_;  // threads
};

}  // namespace foretell::analysis

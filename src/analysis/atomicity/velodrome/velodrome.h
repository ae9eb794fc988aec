// SPDX-License-Identifier: Apache-2.0

// Velodrome: atomic blocks that the observed run violated, memory accesses included (Flanagan,
// Freund and Yi, PLDI 2008; PREDICT 21, "Tool complementation").
//
// Conflicts are those of docs/semantics.md. Two questions are answered, each precisely:
//   Is a block violated?      An event of another thread must stay after one event of the block
//                             and before another. Clocks over conflicts tell: the last event of
//                             the block's thread that is before a conflicting event lies in the
//                             block.
//   Is the run serializable?  Even if no block is violated by itself, there may be no serial order
//                             of all of them: velodrome/transaction_graph.h.
// Blamed are all blocks around both events, by the later of the possible first ones.
//
// Online, but for a second pass that looks up the first events of what was found. Cost: events x
// threads while a block is open, and a search in the graph of overlapping transactions when a
// conflict leads into one; what happens while no block is open cannot be part of a violation.
// Memory: locations, and transactions that overlap open ones. Misses nothing of the observed run;
// predicts nothing.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/atomicity/block_stacks.h"
#include "analysis/atomicity/velodrome/conflict_history.h"
#include "base/dense_table.h"

namespace foretell::analysis {

class Velodrome final : public AnalysisOf<Velodrome> {
 public:
  Velodrome(const AnalysisOptions& options, ProposalSink& sink) : sink_(sink), blocks_(options) {}

  void on_event(const trace::Event& e);
  void finish() override;
  bool wants_another_pass() override;
  void report_counters(CounterSink& sink) const override;

  bool is_serializable() const { return violations_ == 0 && cycles_ == 0; }

  static constexpr size_t kMostFindings = 10'000;
  static constexpr size_t kMostTransactions = size_t{1} << 20;  // at a time

 private:
  struct Thread {
    clocks::VectorClock clock;
    TransactionGraph::Place last;  // its latest event
    uint64_t block_begin = 0;      // index of the outermost block's begin
    bool in_block = false, has_begun = false;
  };
  struct Generation {
    uint64_t number = 0;
    std::vector<PastEvent> enters;
  };
  struct Condition {
    uint64_t waiters = 0;
    absl::flat_hash_map<EventIndex, PastEvent> notifies;  // while somebody waits
  };
  // Found in the first pass; its first event is known by index only.
  struct Violation {
    EventIndex first;
    PastEvent intruder;
    finding::EventRef last;
    uint32_t last_object;
    std::vector<finding::BlockName> blocks;
  };

  void look(const trace::Event& e);
  void block_event(const trace::Event& e);
  void conflicts_of(const trace::Event& e);
  void remember(const trace::Event& e, const PastEvent& now);
  void count_waiters(const trace::Event& e);
  void after(const trace::Event& e, const PastEvent& past);
  void check_block(const trace::Event& e, const PastEvent& past);
  void report_cycle(std::vector<TransactionGraph::Step> cycle);
  void propose(const Violation& violation, const trace::Event& first);

  ProposalSink& sink_;
  BlockStacks blocks_;
  TransactionGraph graph_;
  DenseTable<Thread, ThreadId> threads_;
  DenseTable<ConflictHistory, LocationId> locations_;
  DenseTable<ConflictHistory, LockId> locks_;
  DenseTable<std::optional<PastEvent>, ThreadId> forks_;  // until the thread's first event
  absl::flat_hash_map<ConditionId, Condition> conditions_;
  absl::flat_hash_map<EventIndex, PastEvent> posts_;
  DenseTable<std::vector<Generation>, BarrierId> barriers_;

  uint64_t open_blocks_ = 0;  // outermost ones

  // The present event.
  std::vector<TransactionGraph::Place> earlier_;
  bool violates_ = false;

  bool in_second_pass_ = false, graph_is_cut_ = false;
  std::vector<Violation> found_;  // in the order of their last events
  absl::flat_hash_map<EventIndex, std::vector<size_t>> by_first_;  // of found_
  absl::flat_hash_set<std::array<uint64_t, 4>> seen_;
  uint64_t violations_ = 0, cycles_ = 0, transactions_ = 0, events_ = 0;
};

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

// SideTrack: atomic blocks that another schedule would violate (PREDICT part VI, figure 20.3).
//
// When a block acquires a lock twice, another thread's acquire can fall into the window between the
// two. The culprit need not have been there in the observed run: it may have come before the window
// (BEFORE-ERROR) or after it (AFTER-ERROR), as long as no order that the run shows keeps it out.
// Only an IN-ERROR is a violation of the run itself.
//
// Online; the analysis state is the document's, and so are its letters:
//
//   C  thread  clock of its current operation: happens-before, by clocks/sync_clocks.h
//   V  lock    join of the clocks of its vulnerable windows, taken at their second acquires
//   A  lock    clock of its last acquire
//   R  lock    clock of its last release
//   H  block   locks acquired in it; NotInX is an empty block stack
//   I  block   of these, the potentially interfering ones
//
// An acquire is compared and remembered with the clock that its thread has before it learns of the
// last release: that edge is what another schedule need not have.
//
// Blocks nest. The document's rules are for one block at a time, so H and I belong to each open
// block: an acquire can be the second in an outer block and the first in an inner one. H needs no
// copy for each block: an open block has acquired a lock before exactly if it contains the thread's
// latest acquire of it.
//
// Beyond the document: a wait is a release and its wake an acquire; notifies, barriers, semaphores
// and atomics are orders no schedule changes, like fork and join. Acquires that are both shared do
// not interfere, so A, R and V exist twice: for acquires that shared ones interfere with, and for
// acquires that only exclusive ones interfere with.
//
// Blame (chapter 21): the blocks that contain both acquires of the window, by the common prefix of
// the two block stacks. Assumptions: there are no data races (its row in the registry asks for a
// precise race detector, as the document does), and critical sections end.
//
// Cost: a clock comparison for each acquire. Memory: locks, threads and names of blocks. Misses
// violations without two acquires of one lock in a block, and culprits that the recorded order put
// before a first acquire.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/atomicity/block_stacks.h"
#include "base/dense_table.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class SideTrack final : public AnalysisOf<SideTrack>, private clocks::HardEdgeListener {
 public:
  SideTrack(const AnalysisOptions& options, ProposalSink& sink)
      : sink_(sink), clocks_(*this), blocks_(options) {}

  void on_event(const trace::Event& e);
  // Of a precise race detector: whether the assumption holds.
  void use(const NeededResult& detector) override;
  void report_counters(CounterSink& sink) const override;

  // The analysis state, for tests: as an exclusive acquire sees it.
  const clocks::VectorClock& C(ThreadId thread) { return clocks_.clock(thread); }
  const clocks::VectorClock& V(LockId lock) { return locks_[lock].seen[kExclusive].V; }
  const clocks::VectorClock& A(LockId lock) { return locks_[lock].seen[kExclusive].A; }
  const clocks::VectorClock& R(LockId lock) { return locks_[lock].seen[kExclusive].R; }

 private:
  enum Mode : uint8_t { kExclusive, kShared };
  enum Error : uint8_t { kBefore, kIn, kAfter, kErrors };

  struct Acquire {
    finding::EventRef event;
    Mode mode = kExclusive;
    BlockStack stack;
  };
  struct Window {
    clocks::VectorClock clock;  // at the second acquire
    finding::EventRef first, second;
    std::vector<finding::BlockName> blocks;  // that contain both
    bool is_solid = false;  // both acquires are exclusive: shared culprits interfere
  };
  // What an acquire of a mode meets.
  struct Seen {
    clocks::VectorClock V, A, R;
    finding::EventRef last_acquire;
  };
  struct Lock {
    std::array<Seen, 2> seen;  // by mode
    // Of each thread: the last window of every block.
    absl::flat_hash_map<ThreadId, std::vector<Window>> windows;
  };
  // An acquire that interferes with the first one of some blocks: those of `stack` that are deeper
  // than `outside`.
  struct Interference {
    finding::EventRef culprit;
    BlockStack stack;
    uint32_t outside = 0;
  };
  struct Transaction {
    absl::flat_hash_map<LockId, Acquire> H;  // the latest acquire
    absl::flat_hash_map<LockId, std::vector<Interference>> I;
  };

  void on_hard_edge(ThreadId, const clocks::VectorClock& clock) override { hard_.join(clock); }

  void enter(const trace::Event& e);
  void acquire(const trace::Event& e, Mode mode);
  void release(const trace::Event& e, Mode mode);
  // [ST FIRST ACQUIRE] of the open blocks inside `around`.
  void first_acquire(const trace::Event& e, Mode mode, const clocks::VectorClock& before,
                     const Lock& lock, const BlockFrame* around);
  // [ST SECOND ACQUIRE] of `blocks`.
  void second_acquire(const trace::Event& e, Mode mode, const clocks::VectorClock& before,
                      Lock& lock, std::vector<finding::BlockName> blocks);
  void after_errors(const trace::Event& e, Mode mode, const clocks::VectorClock& before,
                    const Lock& lock);
  static void forget_ended(std::vector<Interference>& interferences, const BlockStack& now);
  // Old windows go when the new one blames all their blocks.
  static void add_window(std::vector<Window>& windows, Window window);
  void report(Error error, std::vector<finding::BlockName> blocks, const finding::EventRef& first,
              const finding::EventRef& culprit, const finding::EventRef& second);

  ProposalSink& sink_;
  clocks::SyncClocks clocks_;
  clocks::VectorClock hard_;  // what the present event learns other than from its lock
  BlockStacks blocks_;
  DenseTable<Lock, LockId> locks_;
  DenseTable<Transaction, ThreadId> threads_;

  std::string race_freedom_;  // what is to be said about it
  uint64_t enters_ = 0, exits_ = 0, firsts_ = 0, seconds_ = 0, outsides_ = 0, releases_ = 0;
  std::array<uint64_t, kErrors> errors_{};
  std::array<absl::flat_hash_set<finding::BlockName>, kErrors> blamed_;
};

}  // namespace foretell::analysis

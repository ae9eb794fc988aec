// SPDX-License-Identifier: Apache-2.0

// wait_graph: deadlocks over more than locks (docs/semantics.md, "Deadlocks").
//
// A thread holds a lock while it waits for something that another thread can only do after getting
// that lock: a post, its end (join), its arrival at a barrier, a notify. Also lost notifications: a
// notify comes before the wait, and no other follows.
//
// A node is an event that may have to wait, with the locks its thread holds there: join, down,
// leave, wake, and every acquire. It waits for a node of another thread if that thread, stopped
// there, keeps it waiting: it holds the lock, it is the one to be joined, it has still to post,
// enter or notify. (All of a generation have entered a barrier before the first leaves, so who is
// stopped after a leave has entered.) Sets of nodes of different threads that all wait for each
// other, directly or through others, with at least one node that is not an acquire (lock_graph has
// the others), are proposed; so is every single wake. Two nodes that hold the same lock cannot be
// reached at the same time. Everything else is left to the judge.
//
// Sets may be of any number of threads. Each is a cycle, with or without ears: chains that begin
// and end in it (every strongly connected graph has this form). Cycles are searched backwards from
// their first node that is not an acquire, because few nodes wait for what a thread holds; short
// cycles first, with at most half of the steps, then ears, small sets first. Nodes are merged as in
// lock_graph; the first and the last few instances stand for all.
//
// Cost: events x locks held; then a search, cut off at kMostSteps, which the report mentions.
// Memory: nodes, sets, and the last post, enter and notify of each thread. Complete up to these
// bounds; only possible until judged.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/deadlock/held_locks.h"
#include "analysis/deadlock/instance_choices.h"

namespace foretell::analysis {

class WaitGraph final : public AnalysisOf<WaitGraph> {
 public:
  WaitGraph(const AnalysisOptions&, ProposalSink& sink) : sink_(sink) {}

  void on_event(const trace::Event& e);
  void finish() override;
  void report_counters(CounterSink& sink) const override;

  static constexpr size_t kFirstInstances = 4, kLastInstances = 4;  // of one node
  static constexpr uint64_t kMostSteps = 20'000'000;                // of the search
  static constexpr uint64_t kMostProposals = 100'000;

 private:
  struct Instance {
    finding::EventRef event;
    EventIndex server = kNoEvent;  // down, wake
  };
  struct Node {
    ThreadId thread{};
    trace::EventKind kind{};
    uint32_t object = 0;  // lock, joined thread, semaphore, barrier, condition
    HeldLocks::SetId held = 0;
    bool may_block = false;  // acquire: it was asked for
    HeldLocks::Held wanted;  // acquire, wake
    std::vector<Instance> instances;
  };
  using Set = std::vector<uint32_t>;  // nodes
  using NodeKey = std::array<uint64_t, 5>;
  // The last post, enter or notify of a thread, by what it acts on.
  using Helps = absl::flat_hash_map<std::pair<uint32_t, ThreadId>, EventIndex>;

  void wait(const trace::Event& e);
  void note_helper(Helps& helps, const trace::Event& e);

  bool is_acquire_node(const Node& node) const {
    return node.kind == trace::EventKind::Acquire || node.kind == trace::EventKind::AcquireShared;
  }
  bool is_usable(const Node& node) const { return held_.may_block(node.may_block); }
  const Helps* helps_of(trace::EventKind kind) const;
  bool waits_for(const Node& node, const Instance& waiting, const Node& other,
                 const Instance& stopped_at) const;
  bool may_wait_for(const Node& node, const Node& other) const;

  void index_nodes();
  void search_cycles();
  void search_ears();
  void extend(Set& set, size_t core, size_t size);
  bool try_next(Set& set, size_t i, uint32_t next, size_t core, size_t size);
  void close(Set set, size_t core);
  void propose(const Set& set, size_t wanted);
  bool fits(const Set& set, std::span<const size_t> choice) const;

  ProposalSink& sink_;
  HeldLocks held_;
  absl::flat_hash_map<NodeKey, uint32_t> node_ids_;
  std::vector<Node> nodes_;
  Helps posts_, enters_, notifies_;

  // Of the search.
  absl::flat_hash_map<LockId, std::vector<uint32_t>> wanters_;
  // Nodes that wait for something that the thread does: a post, its end, ...
  absl::flat_hash_map<ThreadId, std::vector<uint32_t>> waits_on_;
  std::vector<std::vector<Set>> closed_;  // by size: sets that wait for each other
  bool has_longer_ = false;               // there may be longer cycles
  uint64_t most_steps_ = 0;
  absl::flat_hash_set<Set> seen_;
  ChoiceQuota quota_;
  uint64_t waits_ = 0, sets_ = 0, steps_ = 0, proposals_ = 0, not_all_choices_ = 0, alike_ = 0;
  std::optional<size_t> cut_off_at_;  // threads
};

}  // namespace foretell::analysis

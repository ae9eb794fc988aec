// lock_graph: locks that threads take in contrary orders (after Havelund's GoodLock and Bensalem
// and Havelund's guards).
//
// A node is an acquire that a thread makes while it holds other locks. A cycle of nodes of
// different threads, each wanting a lock that the next one holds, is a deadlock if the threads can
// get there at the same time. They certainly cannot if two of them hold a lock in common (a guard):
// such cycles are not proposed. Everything else, the order of threads above all, is the judge's
// business.
//
// Modes count: who wants or holds a lock shared is not blocked by others who hold it shared. The
// wake of a wait takes its lock, so it is an acquire, too. In a trace that has requests (`req`)
// acquires without one were tries, which do not block.
//
// Acquires of the same thread, lock, held locks and site are the same node; the first few stand for
// all of them. Cost: events x locks held; then a search over nodes, cut off and counted when it
// grows too long. Memory: nodes. Complete, up to these bounds, for cycles of acquires; everything
// proposed is only possible until it is judged.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <vector>

#include "analysis/analysis.h"
#include "base/dense_table.h"

namespace foretell {

class LockGraph final : public AnalysisOf<LockGraph> {
 public:
  LockGraph(const AnalysisOptions&, ProposalSink& sink) : sink_(sink) {}

  void on_event(const Event& e);
  void finish() override;
  void report_counters(CounterSink& sink) const override;

  static constexpr size_t kMostInstances = 4;        // of one node
  static constexpr uint64_t kMostSteps = 2'000'000;  // of the search
  static constexpr uint64_t kMostProposals = 100'000;

 private:
  struct Held {
    LockId lock{};
    bool shared = false;
    auto operator<=>(const Held&) const = default;
    template <class H>
    friend H AbslHashValue(H state, const Held& held) {
      return H::combine(std::move(state), held.lock, held.shared);
    }
  };
  using HeldLocks = std::vector<Held>;  // in order of locks

  struct ThreadState {
    HeldLocks held;
    LockId requested{};
    bool has_request = false;  // `requested` was asked for, and not yet acquired
  };
  struct Node {
    ThreadId thread{};
    Held wanted;
    uint32_t held = 0;    // in held_sets_
    bool blocks = false;  // it was requested: no try
    std::vector<EventRef> instances;
  };
  using NodeKey = std::array<uint64_t, 4>;
  using Path = std::vector<uint32_t>;  // nodes

  void acquire(const Event& e, bool shared);
  void release(const Event& e);
  uint32_t intern(const HeldLocks& held);

  bool is_usable(const Node& node) const { return node.blocks || !has_requests_; }
  bool holds_against(const Node& holder, const Held& wanted) const;
  bool share_a_guard(const Node& a, const Node& b) const;
  void search(Path& path);
  void propose(const Path& cycle);

  ProposalSink& sink_;
  DenseTable<ThreadState, ThreadId> threads_;
  bool has_requests_ = false;
  absl::flat_hash_map<HeldLocks, uint32_t> held_ids_;
  std::vector<HeldLocks> held_sets_;
  absl::flat_hash_map<NodeKey, uint32_t> node_ids_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<LockId, std::vector<uint32_t>> holders_;  // nodes that hold a lock

  uint64_t nested_acquires_ = 0, cycles_ = 0, steps_ = 0, proposals_ = 0;
};

}  // namespace foretell

// LockCycles: acquires that threads make while they hold other locks, and the cycles among them
// (after Havelund's GoodLock, with Bensalem and Havelund's guards).
//
// A node is such acquires of the same thread, lock, held locks and site. A cycle is nodes of
// different threads, each wanting a lock that the next one holds, of which no two hold a lock in
// common (a guard): those could not get there at the same time. Modes count: who wants or holds a
// lock shared is not blocked by others who hold it shared. The wake of a wait takes its lock, so it
// is an acquire, too. In a trace that has requests (`req`) acquires without one were tries, which
// do not block.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/dense_table.h"
#include "trace/event.h"

namespace foretell {

class LockCycles {
 public:
  using NodeId = uint32_t;

  // Before an event counts: the node of an acquire, if its thread holds locks.
  std::optional<NodeId> on_event(const Event& e);
  size_t node_count() const { return nodes_.size(); }

  // Calls `visit` with each cycle, once. False if the search grew too long and was cut off.
  bool for_each_cycle(const std::function<void(std::span<const NodeId>)>& visit);

  static constexpr uint64_t kMostSteps = 2'000'000;  // of the search

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
  };
  using NodeKey = std::array<uint64_t, 4>;
  using Visit = std::function<void(std::span<const NodeId>)>;

  std::optional<NodeId> acquire(const Event& e, bool shared);
  void release(const Event& e);
  uint32_t intern(const HeldLocks& held);

  bool is_usable(const Node& node) const { return node.blocks || !has_requests_; }
  bool holds_against(const Node& holder, const Held& wanted) const;
  bool share_a_guard(const Node& a, const Node& b) const;
  void search(std::vector<NodeId>& path, const Visit& visit);

  DenseTable<ThreadState, ThreadId> threads_;
  bool has_requests_ = false;
  absl::flat_hash_map<HeldLocks, uint32_t> held_ids_;
  std::vector<HeldLocks> held_sets_;
  absl::flat_hash_map<NodeKey, NodeId> node_ids_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<LockId, std::vector<NodeId>> holders_;  // nodes that hold a lock
  uint64_t steps_ = 0;
};

}  // namespace foretell

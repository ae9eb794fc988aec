// LockCycles: acquires that threads make while they hold other locks, and the cycles among them
// (after Havelund's GoodLock, with Bensalem and Havelund's guards).
//
// A node is such acquires of the same thread, lock, held locks and site. A cycle is nodes of
// different threads, each wanting a lock that the next one holds, of which no two hold a lock in
// common (a guard): those could not get there at the same time. Tries and acquires with a time
// limit are in no cycle.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/deadlock/held_locks.h"

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
  struct Node {
    ThreadId thread{};
    HeldLocks::Held wanted;
    HeldLocks::SetId held = 0;
    bool was_asked_for = false;
  };
  using NodeKey = std::array<uint64_t, 4>;
  using Visit = std::function<void(std::span<const NodeId>)>;

  NodeId node_of(const Event& acquire);
  bool is_usable(const Node& node) const { return held_.may_block(node.was_asked_for); }
  void search(std::vector<NodeId>& path, const Visit& visit);

  HeldLocks held_;
  absl::flat_hash_map<NodeKey, NodeId> node_ids_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<LockId, std::vector<NodeId>> holders_;  // nodes that hold a lock
  uint64_t steps_ = 0;
};

}  // namespace foretell

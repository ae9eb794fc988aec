// SPDX-License-Identifier: Apache-2.0

// LockCycles: acquires that threads make while they hold other locks, and the cycles among them
// (after Havelund's GoodLock, with Bensalem and Havelund's guards).
//
// A node is such acquires of the same thread, lock, held locks and site. A cycle is nodes of
// different threads, each wanting a lock that the next one holds, of which no two hold a lock in
// common (a guard): those could not get there at the same time. Tries and acquires with a time
// limit are in no cycle.
//
// Cycles are searched by length, the short ones first, in each strongly connected part of the
// graph that leads from nodes to the locks they want and from locks to the nodes that hold them.
// From its first node a path goes only where it can still come back in time. Cost: nodes x locks
// held for the parts; then steps, of which there are at most kMostSteps.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/deadlock/held_locks.h"

namespace foretell::analysis {

class LockCycles {
 public:
  using NodeId = uint32_t;

  // Before an event counts: the node of an acquire, if its thread holds locks.
  std::optional<NodeId> on_event(const trace::Event& e);
  size_t node_count() const { return nodes_.size(); }

  // Calls `visit` with each cycle, once, the short ones first. The number of threads from which on
  // the search grew too long and cycles may be missing; none if there are all.
  std::optional<size_t> for_each_cycle(const std::function<void(std::span<const NodeId>)>& visit);

  static constexpr uint64_t kMostSteps = 20'000'000;  // of the search

 private:
  struct Node {
    ThreadId thread{};
    HeldLocks::Held wanted;
    HeldLocks::SetId held = 0;
    bool was_asked_for = false;
  };
  using NodeKey = std::array<uint64_t, 4>;
  using Visit = std::function<void(std::span<const NodeId>)>;

  NodeId node_of(const trace::Event& acquire);
  bool is_usable(const Node& node) const { return held_.may_block(node.was_asked_for); }
  void find_parts();
  void measure_ways_back(NodeId first);
  void search(std::vector<NodeId>& path, const Visit& visit);

  HeldLocks held_;
  absl::flat_hash_map<NodeKey, NodeId> node_ids_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<LockId, std::vector<NodeId>> holders_;  // nodes that hold a lock
  absl::flat_hash_map<LockId, std::vector<NodeId>> wanters_;

  // Of the search.
  static constexpr uint32_t kNoPart = UINT32_MAX;
  std::vector<uint32_t> part_;  // by node; kNoPart: in no cycle
  struct WayBack {
    NodeId to = UINT32_MAX;  // of which first node this is known
    uint32_t steps = 0;      // on the shortest way from here to it
  };
  std::vector<WayBack> way_back_;  // by node
  size_t length_ = 2;              // of the cycles that are searched for now
  bool has_longer_ = false;        // there may be longer ones
  uint64_t steps_ = 0;
};

}  // namespace foretell::analysis

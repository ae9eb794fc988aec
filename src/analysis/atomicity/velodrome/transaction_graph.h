// SPDX-License-Identifier: Apache-2.0

// TransactionGraph: which transactions must come before which, with a look-out for cycles
// (Flanagan, Freund and Yi, Velodrome, PLDI 2008).
//
// Nodes are transactions; an edge says that an event of one conflicts with a later event of the
// other. A run is serializable exactly if there is no cycle. Only the transactions a thread is in
// get new edges toward them, so a finished one that no edge leads to can be in no cycle any more:
// it is forgotten, and with it its edges. What is left is what began while some transaction that is
// still open, or was overlapped by one, went on. An event outside all blocks is a transaction of
// its own; it joins the only node it depends on, if there is one, since no other edge can lead
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/atomicity/block_stacks.h"

namespace foretell::analysis {

class TransactionGraph {
 public:
  // A node, for as long as it is not forgotten.
  struct Handle {
    uint32_t node = UINT32_MAX;
    uint32_t generation = 0;
    bool operator==(const Handle&) const = default;
  };
  // An event and the transaction it is in.
  struct Place {
    Handle transaction;
    finding::EventRef event;
  };
  // The first conflict from one transaction to another, by its two events.
  struct Conflict {
    finding::EventRef from, to;
  };
  struct Step {
    std::optional<finding::BlockName> block;  // of the transaction that the conflict comes from
    Conflict conflict;
  };

  Handle begin(const Place& before, const finding::EventRef& event, finding::BlockName block);
  void end(Handle transaction);

  // An event in an open transaction conflicts with an earlier one. Returns the cycle that this
  // closes, from the open transaction around; empty if there is none, or it is known already.
  std::vector<Step> add(const Place& earlier, const Place& now);

  // The transaction of an event outside of all blocks; none if nothing it depends on is left.
  Handle outside(std::span<const Place> earlier, const finding::EventRef& event);

  bool is_alive(Handle h) const {
    return h.node < nodes_.size() && nodes_[h.node].generation == h.generation;
  }
  size_t live() const { return nodes_.size() - free_.size(); }
  size_t most_live() const { return most_live_; }

 private:
  struct Edge {
    uint32_t to;
    Conflict conflict;
  };
  struct Node {
    uint32_t generation = 0;
    uint32_t in_edges = 0;
    bool is_open = false;
    uint64_t mark = 0;
    std::optional<finding::BlockName> block;
    std::vector<Edge> out;
    std::vector<uint32_t> refused;  // nodes whose edges to this one would close a cycle
  };

  Handle make(std::optional<finding::BlockName> block, bool is_open);
  bool are_connected(uint32_t from, uint32_t to) const;
  void connect(uint32_t from, uint32_t to, const Conflict& conflict);
  std::vector<Step> path(uint32_t from, uint32_t to);
  void forget_if_done(uint32_t node);

  std::vector<Node> nodes_;
  std::vector<uint32_t> free_;
  size_t most_live_ = 0;
  uint64_t mark_ = 0;
};

}  // namespace foretell::analysis

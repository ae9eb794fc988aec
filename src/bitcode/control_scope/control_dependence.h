// SPDX-License-Identifier: Apache-2.0

// Control dependence that is told which loops terminate (SLICED 2.1).
//
// A run goes from node to node. It ends where it may stop, or goes on forever, which it can only do
// in a cycle that is not known to terminate. Node m is in the scope of b if b's ways disagree about
// reaching m: from one of them every run comes to m, from another some run does not. Only direct
// dependence is computed; what depends on b through others is the transitive closure.
//
// If all cycles terminate this is the classic control dependence (Ferrante, Ottenstein, Warren,
// TOPLAS 1987), if none does the weak one (Podgurski, Clarke, TSE 1990).
//
// A cycle is a strongly connected part with a header; without its header it falls apart into the
// cycles nested in it. Whoever stays in a cycle forever comes to its header again and again, or
// stays in a nested one. So a run can avoid m in an endless cycle if its header can come back to
// itself within the cycle without m.
//
// Cost: for n nodes and e edges n / 64 passes over the edges, times a small number until nothing
// changes: 64 nodes m are asked about at once.
#pragma once

#include <cstdint>
#include <vector>

namespace foretell::bitcode {

// Node 0 is the entry.
struct FlowGraph {
  struct Node {
    std::vector<uint32_t> successors;
    bool may_stop = false;  // the run may end here, whether or not there are successors
  };
  std::vector<Node> nodes;

  std::size_t ways(uint32_t node) const {
    return nodes[node].successors.size() + (nodes[node].may_stop ? 1 : 0);
  }
};

struct FlowCycle {
  uint32_t header = 0;
  std::vector<uint32_t> nodes;  // sorted, with those of nested cycles
};

// All cycles that can be reached from the entry, outer ones before those nested in them.
std::vector<FlowCycle> cycles_of(const FlowGraph& graph);

// For each node its scope, sorted; empty if there is only one way. `terminates` says it of each
// cycle.
std::vector<std::vector<uint32_t>> control_scopes(const FlowGraph& graph,
                                                  const std::vector<FlowCycle>& cycles,
                                                  const std::vector<bool>& terminates);

}  // namespace foretell::bitcode

// SPDX-License-Identifier: Apache-2.0

#include "analysis/atomicity/velodrome/transaction_graph.h"

#include <algorithm>

namespace foretell::analysis {

TransactionGraph::Handle TransactionGraph::make(std::optional<finding::BlockName> block,
                                                bool is_open) {
  uint32_t id = static_cast<uint32_t>(nodes_.size());
  if (free_.empty()) {
    nodes_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  nodes_[id].block = block;
  nodes_[id].is_open = is_open;
  most_live_ = std::max(most_live_, live());
  return {id, nodes_[id].generation};
}

bool TransactionGraph::are_connected(uint32_t from, uint32_t to) const {
  const std::vector<Edge>& out = nodes_[from].out;
  return std::ranges::find(out.rbegin(), out.rend(), to, &Edge::to) != out.rend();
}

void TransactionGraph::connect(uint32_t from, uint32_t to, const Conflict& conflict) {
  if (are_connected(from, to)) return;
  nodes_[from].out.push_back({to, conflict});
  ++nodes_[to].in_edges;
}

TransactionGraph::Handle TransactionGraph::begin(const Place& before,
                                                 const finding::EventRef& event,
                                                 finding::BlockName block) {
  const Handle made = make(block, true);
  if (is_alive(before.transaction)) {
    connect(before.transaction.node, made.node, {before.event, event});
  }
  return made;
}

void TransactionGraph::end(Handle transaction) {
  nodes_[transaction.node].is_open = false;
  forget_if_done(transaction.node);
}

std::vector<TransactionGraph::Step> TransactionGraph::add(const Place& earlier, const Place& now) {
  if (!is_alive(earlier.transaction) || earlier.transaction == now.transaction) return {};
  const uint32_t from = earlier.transaction.node, to = now.transaction.node;
  if (are_connected(from, to)) return {};
  if (std::ranges::find(nodes_[to].refused, from) != nodes_[to].refused.end()) return {};
  std::vector<Step> cycle = path(to, from);
  if (cycle.empty()) {
    connect(from, to, {earlier.event, now.event});
    return {};
  }
  // The graph stays without cycles, so that later ones are found, too.
  nodes_[to].refused.push_back(from);
  cycle.push_back({nodes_[from].block, {earlier.event, now.event}});
  return cycle;
}

TransactionGraph::Handle TransactionGraph::outside(std::span<const Place> earlier,
                                                   const finding::EventRef& event) {
  const Place* first = nullptr;
  bool only_one = true;
  for (const Place& place : earlier) {
    if (!is_alive(place.transaction)) continue;
    if (first && first->transaction != place.transaction) only_one = false;
    if (!first) first = &place;
  }
  if (!first) return {};
  if (only_one && !nodes_[first->transaction.node].is_open) return first->transaction;
  const Handle made = make(std::nullopt, false);
  for (const Place& place : earlier) {
    if (!is_alive(place.transaction)) continue;
    connect(place.transaction.node, made.node, {place.event, event});
  }
  return made;
}

// The conflicts along some way between two nodes; empty if there is none.
std::vector<TransactionGraph::Step> TransactionGraph::path(uint32_t from, uint32_t to) {
  if (nodes_[from].out.empty()) return {};
  ++mark_;
  struct Visit {
    uint32_t node;
    size_t next;  // of its edges
  };
  std::vector<Visit> way = {{from, 0}};
  nodes_[from].mark = mark_;
  while (!way.empty()) {
    Visit& top = way.back();
    const std::vector<Edge>& out = nodes_[top.node].out;
    if (top.node == to || top.next == out.size()) {
      if (top.node == to) break;
      way.pop_back();
      continue;
    }
    const uint32_t next = out[top.next++].to;
    if (nodes_[next].mark == mark_) continue;
    nodes_[next].mark = mark_;
    way.push_back({next, 0});
  }
  std::vector<Step> steps;
  for (size_t i = 0; i + 1 < way.size(); ++i) {
    const Node& node = nodes_[way[i].node];
    steps.push_back({node.block, node.out[way[i].next - 1].conflict});
  }
  return steps;
}

void TransactionGraph::forget_if_done(uint32_t node) {
  std::vector<uint32_t> done = {node};
  while (!done.empty()) {
    const uint32_t id = done.back();
    done.pop_back();
    Node& gone = nodes_[id];
    if (gone.is_open || gone.in_edges > 0) continue;
    for (const Edge& edge : gone.out) {
      if (--nodes_[edge.to].in_edges == 0) done.push_back(edge.to);
    }
    gone.out.clear();
    gone.refused.clear();
    gone.block.reset();
    ++gone.generation;
    free_.push_back(id);
  }
}

}  // namespace foretell::analysis

// S_choice: the pairs of locked scopes whose order a witness depends on (NONDET, section III.B).
//
// In the lock abstraction graph a locked scope is one vertex, and two scopes of one lock that G'
// leaves unordered are joined by an undirected edge. S_choice has the undirected edges on paths
// from x to y, where the witness puts y before x.
//
// What is reached from a vertex is the end of each thread from some event on, and what reaches it
// the beginning: one number per thread. Events of overlapping or nested scopes are one vertex, so
// such a number never stands inside a scope. Of the scopes of a lock and thread only the first
// reached one and, in each other thread, the first that is not before it have to be looked at.
//
// Two scopes are ordered if the acquire of one is before the release of the other: what is before
// each release is computed once per witness, when it is first asked for. The scopes of another
// thread that are not ordered with a given one are neighbours.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "analysis/determinism/witness_graph/order_graph.h"

namespace foretell {

// The two edges that a pair leaves to choose from; the first one goes as the recorded run did.
using ChoicePair = std::pair<OrderGraph::Edge, OrderGraph::Edge>;

class ChoiceFinder {
 public:
  explicit ChoiceFinder(const GraphParts& parts);

  // `order` are the order edges of the witness: (y, x). Sorted; valid until the next call.
  const std::vector<ChoicePair>& find(const OrderGraph& graph,
                                      std::span<const OrderGraph::Edge> order);

 private:
  using Steps = OrderGraph::Steps;
  using Scopes = std::vector<Scope>;

  // By thread: the first event reached from `x`, or ~0; how many first events reach `y`.
  void find_reached(Position x);
  void find_reaching(Position y);
  void cross_forward(const Scopes& mine, size_t my_thread, const Scopes& other,
                     size_t other_thread);
  void cross_backward(const Scopes& mine, size_t my_thread, const Scopes& other,
                      size_t other_thread);
  void find_pairs(const ScopeList& mine, const ScopeList& other);
  void reach(size_t thread, uint32_t step);
  void be_reached_by(size_t thread, uint32_t steps);

  const uint32_t* before_release(const Scope& s);
  bool is_there(const Scope& s) const { return !graph_->is_cut(s.acquire); }
  uint32_t step(Position p) const { return facts_.step[p]; }
  // One more than the step of its last event.
  uint32_t end_of(const Scope& s) const {
    return graph_->is_left(s) ? step(s.release) + 1
                              : graph_->limits()[facts_.thread_index(s.acquire)];
  }
  Scopes::const_iterator first_from(const Scopes& scopes, uint32_t at) const;

  const GraphParts& parts_;
  const TraceFacts& facts_;
  const OrderGraph* graph_ = nullptr;

  std::vector<uint32_t> slot_;    // by event: of a release, its row in before_
  std::vector<uint32_t> before_;  // rows of steps by thread
  std::vector<uint32_t> known_;   // by row: the witness it is for
  uint32_t witness_ = 0;

  Steps reached_, reaching_, scratch_;
  std::vector<size_t> grown_;  // threads whose number has changed
  std::vector<ChoicePair> pairs_;
};

}  // namespace foretell

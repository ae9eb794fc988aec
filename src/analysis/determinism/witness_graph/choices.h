// SPDX-License-Identifier: Apache-2.0

// S_choice: the pairs of locked scopes whose order a witness depends on (NONDET, section III.B).
//
// In the lock abstraction graph a locked scope is one vertex, and two scopes of one lock that G'
// leaves unordered are joined by an undirected edge. S_choice has the undirected edges on paths
// from x to y, where the witness puts y before x.
//
// What is reached from a vertex, and what reaches it, is one number per thread (scope_reach.h). Of
// the scopes of a lock and thread only the first reached one and, in each other thread, the first
// that is not before it have to be looked at.
//
// Two scopes are ordered if the acquire of one is before the release of the other: what is before
// each release is computed once per witness, when it is first asked for. The scopes of another
// thread that are not ordered with a given one are neighbors, and so are those of them on a path:
// pairs are counted by such ranges, and listed only if somebody wants to try them one by one.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "analysis/determinism/witness_graph/order_graph.h"
#include "analysis/determinism/witness_graph/scope_reach.h"

namespace foretell::analysis {

// The two edges that a pair leaves to choose from; the first one goes as the recorded run did.
using ChoicePair = std::pair<OrderGraph::Edge, OrderGraph::Edge>;

class ChoiceFinder {
 public:
  explicit ChoiceFinder(const GraphParts& parts);

  // How many pairs there are. `order` are the order edges of the witness: (y, x). If there are
  // more than `enough`, the rest may be missing.
  uint64_t find(const OrderGraph& graph, std::span<const OrderGraph::Edge> order,
                uint64_t enough = ~uint64_t{0});
  // Whether postponing all that follows from the order edges is a way to choose: then whatever they
  // go back behind comes first. No need to look at the pairs.
  bool can_be_postponed(const OrderGraph& graph);
  // Of what was found: edges that, with program order, put all pairs in the order of the recorded
  // run; and the pairs themselves, sorted.
  std::vector<OrderGraph::Edge> recorded_choices() const;
  std::vector<ChoicePair> pairs() const;

 private:
  using Steps = OrderGraph::Steps;
  using Scopes = std::vector<Scope>;

  // What one order edge leads to and comes from. By thread: the first event reached from x, or ~0;
  // how many first events reach y.
  struct Reach {
    Steps reached, reaching;
  };
  // A scope, and neighbors of another thread: a pair with each.
  struct Neighbors {
    Scope scope;
    Scopes::const_iterator begin, end;
  };

  void find_reached(judge::Position x, Steps& reached);
  void find_reaching(judge::Position y, Steps& reaching);
  void cross_forward(const Scopes& mine, size_t my_thread, const Scopes& other, size_t other_thread,
                     Steps& reached);
  void cross_backward(const Scopes& mine, size_t my_thread, const Scopes& other,
                      size_t other_thread, Steps& reaching);
  void find_neighbors(const ScopeList& mine, const ScopeList& other, bool exclusive);
  void add_neighbors(const Scope& scope, Scopes::const_iterator begin, Scopes::const_iterator end);

  const uint32_t* before_release(const Scope& s);
  uint32_t step(judge::Position p) const { return facts_.step[p]; }
  Scopes::const_iterator first_from(const Scopes& scopes, uint32_t at) const;

  const GraphParts& parts_;
  const judge::TraceFacts& facts_;
  const OrderGraph* graph_ = nullptr;

  std::vector<uint32_t> slot_;    // by event: of a release, its row in before_
  std::vector<uint32_t> before_;  // rows of steps by thread
  std::vector<uint32_t> known_;   // by row: the witness it is for
  uint32_t witness_ = 0;

  ScopeReach reach_;
  Steps scratch_;
  std::vector<Reach> reaches_;  // by order edge
  std::vector<Neighbors> found_;
  uint64_t pairs_ = 0, enough_ = 0;
  Steps late_;
};

}  // namespace foretell::analysis

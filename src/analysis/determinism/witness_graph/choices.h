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
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "analysis/determinism/witness_graph/order_graph.h"

namespace foretell {

// The two edges that a pair leaves to choose from; the first one goes as the recorded run did.
using ChoicePair = std::pair<OrderGraph::Edge, OrderGraph::Edge>;

// `order` are the order edges of the witness: (y, x).
std::vector<ChoicePair> find_choices(const OrderGraph& graph,
                                     std::span<const OrderGraph::Edge> order);

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

// Visits every state that some correct reordering of a trace reaches, once each.
//
// Depth first, remembering whole states (semantics.h); the number of states is at most the product
// of the thread lengths times the ways the last writes can differ: thousands for 16 events.
//
// A visitor may restrict the class of reorderings (to those that keep the order of critical
// sections, say), as long as its answer depends on the state alone.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "semantics.h"

namespace foretell::oracle {

class Visitor {
 public:
  virtual ~Visitor() = default;
  // `path` is one of the reorderings that reach `state`.
  virtual void visit(const State& state, std::span<const Position> path) = 0;
  // Whether reorderings of the class go on from `state` with the enabled event `p`.
  virtual bool may_follow(const State&, Position) { return true; }
};

// Returns the number of states visited.
size_t explore(const Semantics& semantics, Visitor& visitor);

// All reorderings, each once, prefixes included; for traces of up to about 10 events.
void for_each_reordering(const Semantics& semantics,
                         const std::function<void(std::span<const Position>)>& visit);

}  // namespace foretell::oracle

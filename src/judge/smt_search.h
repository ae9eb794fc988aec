// SPDX-License-Identifier: Apache-2.0

// The question to the judge as one for an SMT solver: every rule of docs/semantics.md as clauses.
//
// Each event of the window may happen or not, and those that do have an order; a solution is a
// witness. Program order and what an event waits for (judge/need_clocks.h) are plain orders. What
// is left are choices, a clause for each:
//   reads      another write of the location comes before the one read, or after the read
//   locks      of two sections that exclude each other one ends before the other begins
//   tries      some section of the lock is under way
//   notifies   the waiter that is found, or that there is none
// Quadratic in the events of one location, lock or condition. In the window of the whole trace
// "unsolvable" is a proof.
#pragma once

#include "judge/goal.h"
#include "judge/needs.h"
#include "judge/search.h"
#include "judge/window.h"

namespace foretell::judge {

// The outcomes stand for solved, unsolvable and gave up. `effort` is as in smt/order_solver.h.
SearchResult smt_search(const TraceFacts& facts, const Goal& goal, const Needs& needs,
                        const Window& window, uint32_t effort);

}  // namespace foretell::judge

// SPDX-License-Identifier: Apache-2.0

// Fewer thread switches: the same events in an order that is easier to follow.
//
// First regroups: two neighbors of different threads that touch no common object may be swapped,
// so any order that keeps the order of dependent events is as good, and one is built that stays in
// a thread as long as it can; once from the beginning and once from the end, and the better is
// taken. Then joins: a run of a thread is moved next to another run of it, whatever it passes, if
// the checker still accepts the whole (critical sections may change places so). Both are greedy:
// the result is small, not always the smallest. O(events) and O(runs x events), the latter cut off.
#pragma once

#include <span>

#include "judge/goal.h"
#include "judge/trace_facts.h"

namespace foretell::judge {

size_t thread_switches(const TraceFacts& facts, std::span<const Position> order);

// `witness` passes check_witness; so does the result, which never has more switches.
Reordering with_fewer_switches(const TraceFacts& facts, const Goal& goal, Reordering witness);

}  // namespace foretell::judge

// Makes a witness easier to read, without changing what it shows.
//
// First drops the events that nothing in it needs. Then regroups: two neighbours of different
// threads that touch no common object may be swapped, so any order that keeps the order of
// dependent events is as good, and the one is taken that stays in a thread as long as it can.
// A step whose result the checker refuses is left out. Of a long witness only what follows its
// recorded part is looked at, and nothing if that is longer than anybody reads.
#pragma once

#include "order/goal.h"
#include "order/trace_facts.h"

namespace foretell {

inline constexpr size_t kLongestCleanedWitness = 20'000;

// `witness` passes check_witness; so does the result.
Reordering clean_up_witness(const TraceFacts& facts, const Goal& goal, Reordering witness);

}  // namespace foretell

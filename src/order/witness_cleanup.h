// Makes a race witness easier to read, without changing what it shows.
//
// First drops the events that nothing in it needs. Then regroups: two neighbours of different
// threads that touch no common object may be swapped, so any order that keeps the order of
// dependent events is as good, and the one is taken that stays in a thread as long as it can.
// A step whose result the checker refuses is left out. A witness of more events than anybody reads
// stays as it is: on long traces this would be most of the judge's time.
#pragma once

#include "order/trace_facts.h"

namespace foretell {

inline constexpr size_t kLongestCleanedWitness = 20'000;

// `witness` ends with the two accesses and passes check_race_witness; so does the result.
Interleaving clean_up_witness(const TraceFacts& facts, Interleaving witness);

}  // namespace foretell

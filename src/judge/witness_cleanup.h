// SPDX-License-Identifier: Apache-2.0

// Makes a witness easier to read, without changing what it shows.
//
// First drops the events that nothing in it needs, then lowers the number of thread switches
// (judge/fewer_switches.h). A step whose result the checker refuses is left out. Of a long witness
// only what follows its recorded part is looked at, and nothing if that is longer than anybody
// reads.
#pragma once

#include "judge/goal.h"
#include "judge/trace_facts.h"

namespace foretell::judge {

inline constexpr size_t kLongestCleanedWitness = 20'000;

// `witness` passes check_witness; so does the result.
Reordering clean_up_witness(const TraceFacts& facts, const Goal& goal, Reordering witness);

}  // namespace foretell::judge

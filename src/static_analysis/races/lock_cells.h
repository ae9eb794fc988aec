// SPDX-License-Identifier: Apache-2.0

// Locks that a program makes of a variable.
//
// - A cell is zero while nobody holds it. Whoever finds zero there writes another constant in the same step:
//   by an atomic exchange, a compare-and-swap, or in a section of one lock that all who take it hold. Zero is
//   written by the holder only.
// - A ticket lock: whoever finds his number there holds it. Numbers come from a counter that hands out each one
//   once, and only the holder writes to the cell, whatever it is.
//
// Both are assumed at first; a write by somebody who does not surely hold the lock shows that it is none, and
// that may be so for others then. What main writes while nobody else can get at the cell does not count.
#pragma once

#include "static_analysis/races/indices.h"

namespace foretell::static_analysis {

// Adds the locks it finds to `locks`, which has to be the one that the rules refer to.
void find_lock_cells(const PairRules& rules, LockSets& locks);

}  // namespace foretell::static_analysis

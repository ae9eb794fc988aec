// SPDX-License-Identifier: Apache-2.0

// The last resort for pairs that no rule keeps apart: the states of the whole program, all of them.
//
// Flags, hand-written locks, tickets, conditions, barriers and semaphores that hand over are not
// recognized; they are executed. The product of all threads, sliced to what decides where control
// goes, is explored to the end. If no state has two threads about to make the accesses of a pair at
// one place, then no execution has a race there: a program all of whose sequentially consistent
// executions are free of races has only such executions.
//
// Values are constants or anything, registers and cells that take many values hold anything, and
// threads that are started again and again are counted as none, one or many: whatever is proved of
// the product holds of the program. What cannot be followed, or is too large, is not proved.
#pragma once

#include <string>

#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis {

struct ProductAnswer {
  bool proved = false;
  bool finished = false;  // all states were seen, or one with a race
  uint64_t states = 0;
  std::string problem;  // why it says nothing
};

ProductAnswer explore_product(const PairRules& rules, const std::vector<RacePair>& pairs,
                              uint64_t max_states);

}  // namespace foretell::static_analysis

// SPDX-License-Identifier: Apache-2.0

// Conflicting accesses whose order some schedule may change.
//
// Locks and atomics remove races, not nondeterminism: of two critical sections either may be first.
// Only the order of starting and joining threads counts here, and memory that each thread has for
// itself. If no such pair is left, and nothing else depends on the schedule, then by induction over
// that order every read returns the same in every schedule.
#pragma once

#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis {

struct Conflict {
  AccessIndex first, second;
  bitcode::ObjectId object;
  bitcode::Target target;  // of the first
};

std::vector<Conflict> find_conflicts(const PairRules& rules);

// Without those whose bytes are apart by the values that indices can have: by the interpreter, in
// every schedule. Interprets the program only if there is a conflict with an index.
std::vector<Conflict> without_apart(std::vector<Conflict> conflicts, const PairRules& rules);

// Both store the same constant to the same bytes: whichever is last.
bool write_the_same(const Access& a, const Access& b, bitcode::ObjectId object);

}  // namespace foretell::static_analysis

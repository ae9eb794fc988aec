// SPDX-License-Identifier: Apache-2.0

// Pairs of accesses that no rule keeps apart.
#pragma once

#include "static_analysis/races/accesses.h"
#include "static_analysis/threads/running.h"

namespace foretell::static_analysis {

struct RacePair {
  AccessIndex first, second;
  bitcode::Target target;
};

struct PairRules {
  const Threads& threads;
  const Running& running;
  const Objects& objects;
  const LockSets& locks;
  const Accesses& accesses;
  const bitcode::PointsTo& points_to;
};

struct PairCounts {
  uint64_t considered = 0, ordered = 0, locked = 0, owned = 0;
};

// Whether both hold one lock that excludes the other, if they touch the same bytes of the object.
bool are_locked(const Access& a, const Access& b, bitcode::ObjectId object, const PairRules& rules);

std::vector<RacePair> find_pairs(const PairRules& rules, PairCounts& counts);

}  // namespace foretell::static_analysis

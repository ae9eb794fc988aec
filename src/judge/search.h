// SPDX-License-Identifier: Apache-2.0

// Search: finds an interleaving that reaches a goal, by backtracking.
//
// Depth first over the events that are enabled next, in recorded order. What cannot disable
// anything (reads, forks, posts, releases that no failed try depends on, ...) is executed at once
// and never tried otherwise: moving such an event to the front keeps an interleaving correct. A
// state seen before is not entered again; a state is the progress of the threads, the last writer
// of each location where a remaining read cares, and the waits that are notified.
//
// In the window of the whole trace, and with no gate but the goal's own orders, an exhausted search
// is a proof that there is no such interleaving.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "judge/goal.h"
#include "judge/machine.h"
#include "judge/window.h"

namespace foretell::judge {

// Orders that must hold in addition to the machine's rules: `after` waits for each of its
// `before`s.
using Gate = absl::flat_hash_map<Position, std::vector<Position>>;

struct SearchSpace {
  const Goal& goal;  // its last read, if it stops at one, returns a given write
  const Window& window;
  const Gate& gate;  // contains the orders of the goal
};

enum class SearchOutcome : uint8_t { found, exhausted, budget_spent };

struct SearchResult {
  SearchOutcome outcome;
  Interleaving order = {};  // of events in the window
  uint64_t steps = 0;
};

inline constexpr uint64_t kNoBudget = std::numeric_limits<uint64_t>::max();

// `budget` is in events executed; looking for the next one costs some of it, too.
SearchResult search(const TraceFacts& facts, const SearchSpace& space, uint64_t budget = kNoBudget);

// One straight run: always the enabled event that was recorded first.
SearchResult run_in_recorded_order(const TraceFacts& facts, const SearchSpace& space);

}  // namespace foretell::judge

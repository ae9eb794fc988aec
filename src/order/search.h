// Search: finds an interleaving that brings two accesses side by side, by trying.
//
// Depth first over the events that are enabled next, in recorded order. What cannot disable
// anything (reads, forks, posts, releases nobody's failed try looks at, ...) is executed at once
// and never tried otherwise: moving such an event to the front keeps an interleaving correct. A
// state seen before is not entered again; a state is the progress of the threads, the last writer
// of each location where a remaining read cares, and the waits that are notified.
//
// Without a gate or a start, and with whole threads as limits, an exhausted search is a proof that
// there is no such interleaving.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "order/machine.h"

namespace foretell {

// Orders that must hold besides the machine's rules: `after` waits for each of its `before`s.
using Gate = absl::flat_hash_map<Position, std::vector<Position>>;

struct SearchSpace {
  Position first, second;        // the two accesses
  std::vector<uint32_t> limits;  // by thread: how many events may be executed
  Gate gate = {};
  Interleaving start = {};  // what is executed before the trying begins, as far as it is enabled
};

enum class SearchOutcome : uint8_t { found, exhausted, budget_spent };

struct SearchResult {
  SearchOutcome outcome;
  Interleaving order = {};  // without the two accesses
  uint64_t steps = 0;
};

inline constexpr uint64_t kNoBudget = std::numeric_limits<uint64_t>::max();

// `budget` is in events executed; looking for the next one costs some of it, too.
SearchResult search_race(const TraceFacts& facts, const SearchSpace& space,
                         uint64_t budget = kNoBudget);

// The events within the limits, in recorded order.
Interleaving in_recorded_order(const TraceFacts& facts, const std::vector<uint32_t>& limits);

// One straight run: always the enabled event that was recorded first. Settles most races.
SearchResult run_in_recorded_order(const TraceFacts& facts, const SearchSpace& space);

}  // namespace foretell

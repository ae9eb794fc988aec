// Saturation: orders that every interleaving of the needed events must have.
//
// Beside program order and what an event waits for:
//   reads-from  r reads w's value, c writes the same location: if c is before r then c is before w;
//               if w is before c then r is before c. A read of the initial value is before every c.
//   locks       two sections that exclude each other: if one's begin is before the other's end, its
//               end is before the other's begin. A section open at the race is after all others.
// The rules are applied until nothing new follows. A cycle, or the need for an event that the race
// excludes, proves that the race is impossible.
//
// Orders are kept as vector clocks over the needed events and recomputed in each round:
// O(rounds x needed events x threads), and cut short when that grows large. Notifies that must not
// wake the wrong waiter and failed tries give no orders here; the search after it knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "order/needs.h"
#include "order/search.h"

namespace foretell {

enum class SaturationOutcome : uint8_t { saturated, impossible, too_large };

struct SaturationResult {
  SaturationOutcome outcome;
  std::string reason = {};
  Gate gate = {};  // the orders inferred by the rules
};

// May extend `needs` by ends of sections that must come before another's begin.
SaturationResult saturate(const TraceFacts& facts, Needs& needs);

}  // namespace foretell

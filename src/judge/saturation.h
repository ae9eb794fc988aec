// SPDX-License-Identifier: Apache-2.0

// Saturation: orders that every interleaving of the needed events must have.
//
// Beside program order, what an event waits for, and the goal's own order:
//   reads-from  r reads w's value, c writes the same location: if c is before r then c is before w;
//               if w is before c then r is before c. A read of the initial value is before every c.
//               The same for the last write of a location that is to be some given one.
//   locks       two sections that exclude each other: if one's begin is before the other's end, its
//               end is before the other's begin. A section open at the goal is after all others.
// The rules are applied until nothing new follows. A cycle, or the need for an event that the goal
// excludes, proves that the goal is impossible.
//
// Only needed events recorded from a given position on are looked at; of the earlier ones only what
// they must precede by themselves (judge/need_clocks.h). So orders may be missed, but whatever is
// found holds in every witness, also in one that changes the order of earlier events.
//
// Orders are kept as vector clocks over these events and recomputed in each round:
// O(rounds x events x threads), and cut short when that grows large. Notifies that must not wake
// the wrong waiter and failed tries give no orders here; the search after it knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/needs.h"
#include "judge/search.h"

namespace foretell::judge {

enum class SaturationOutcome : uint8_t { saturated, impossible, too_large };

struct SaturationResult {
  SaturationOutcome outcome;
  std::string reason = {};
  Gate gate = {};  // the orders inferred by the rules
};

// Looks at the needed events at `from` and later. May extend `needs` by ends of sections that must
// come before another's begin.
SaturationResult saturate(const TraceFacts& facts, const Goal& goal, Needs& needs, Position from);

}  // namespace foretell::judge

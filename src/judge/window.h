// SPDX-License-Identifier: Apache-2.0

// Window: the part of the needed events that a witness may put into another order.
//
// Everything recorded before the window happens as recorded; of what comes after, only what is
// needed. The nearer the window begins to the goal the less there is to do, and the less can be
// swapped. From the beginning of the trace it is all of the needed events and no other.
//
// Besides what is strictly needed a window has what the recorded run had: the holder that made a
// try fail, the end of a section recorded before another needed section of its lock, and a write for
// each read that several could serve (judge/read_values.h): its own if that may happen.
#pragma once

#include <optional>
#include <vector>

#include "judge/needs.h"
#include "judge/trace_facts.h"

namespace foretell::judge {

struct Window {
  Position from = 0;
  std::vector<uint32_t> begins = {};  // by thread: how many of its events come before the window
  std::vector<uint32_t> limits = {};  // by thread: where the window ends

  size_t size() const {
    size_t sum = 0;
    for (size_t t = 0; t < limits.size(); ++t) sum += limits[t] - begins[t];
    return sum;
  }
};

// Nothing if a stopped thread was recorded to go further before `from`, if the recorded part is not
// known to be correct, or if what it needs contradicts the goal.
std::optional<Window> open_window(const TraceFacts& facts, const Needs& needs, Position from);

// Everything before the goal may happen: whole threads, but for the stopped ones.
Window whole_trace(const TraceFacts& facts, const Needs& needs);

Interleaving in_recorded_order(const TraceFacts& facts, const Window& window);

}  // namespace foretell::judge

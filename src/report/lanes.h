// SPDX-License-Identifier: Apache-2.0

// Lanes: an interleaving with threads as columns and time downwards.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "finding/result.h"

namespace foretell::report {

struct LaneStyle {
  size_t columns = 80;
  bool utf8 = false;  // arrows instead of "<-->"
};

// The end of a witness. The last two steps of a race (`together`) stand side by side, joined by
// "<-->". More threads than fit the columns become a numbered list with the thread's name in every
// line.
std::string draw_lanes(const finding::Witness& witness, size_t together = 2,
                       const LaneStyle& style = {});

// The same for a witness of events that happen one after the other, which are always shown.
std::string draw_lanes(const finding::Witness& witness,
                       const std::vector<finding::DescribedEvent>& events,
                       const LaneStyle& style = {});

// The end of a deadlock's witness, and in its last line what the threads are stuck at. Accesses
// count only if they are of something that has a name and that these threads touch.
std::string draw_deadlock_lanes(const finding::Witness& witness,
                                std::span<const finding::DescribedEvent> stuck,
                                const LaneStyle& style = {});

// The same as draw_lanes in plain words and with functions over the lanes, for witnesses whose
// steps have source positions. Steps that say little (calls, branches, requests, what other threads
// access) are left out, and if the table is still long, other accesses than those of what is raced
// on.
struct LaneTable {
  std::string text;
  size_t switches = 0;  // of threads before the last steps; 0 if the beginning is not shown
  uint64_t last_switch_after = 0;  // the step before the last switch
};
LaneTable draw_plain_lanes(const finding::Witness& witness, size_t together = 2,
                           const LaneStyle& style = {});
LaneTable draw_plain_lanes(const finding::Witness& witness,
                           const std::vector<finding::DescribedEvent>& events,
                           const LaneStyle& style = {});

}  // namespace foretell::report

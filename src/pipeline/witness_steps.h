// SPDX-License-Identifier: Apache-2.0

// From a judge's witness to steps of the input: what a schedule and a report can use.
//
// The judge works on normalized events: an access that covers several cells is several of them, and
// re-entrant lock operations are gone. A program takes an access as one step and takes every step,
// so here the pieces of an access come together again, and the folded operations stand before the
// next event of their thread. The result has each index once and a prefix of every thread. The two
// accesses of a race are its last steps; the acquires of a deadlock, which block, are not in it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <span>
#include <vector>

#include "judge/goal.h"
#include "judge/trace_facts.h"
#include "trace/trace.h"

namespace foretell::pipeline {

struct WitnessStep {
  EventIndex index;
  ThreadId thread;
};

// `steps` ends with `last` steps that come last whatever their index; other steps may name an index
// more than once, and count where they name it first. `folded` are raw events in order; those
// before `begin` are not used, because the part of the run before it is taken as recorded.
std::vector<EventIndex> input_steps(std::span<const WitnessStep> steps, size_t last,
                                    std::span<const trace::Event> folded, EventIndex begin = {});

// `witness` is one of the goal. Pieces of one access may be apart in it. The whole access is put
// where its first piece stood, or where its last one did, whichever the judge's checker accepts; if
// it accepts neither (each piece must see a different moment), where the first stood. The recorded
// part of the witness is not listed; it does not end inside an access.
std::vector<EventIndex> input_steps(const trace::Trace& trace, const judge::TraceFacts& facts,
                                    const judge::Goal& goal, const judge::Reordering& witness);

}  // namespace foretell::pipeline

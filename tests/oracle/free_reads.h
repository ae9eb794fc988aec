// SPDX-License-Identifier: Apache-2.0

// Which reads are free for a goal, as docs/semantics.md says it and as slowly as that: the rules are
// applied to every event until nothing is added.
#pragma once

#include <set>
#include <span>

#include "random_program.h"
#include "semantics.h"

namespace foretell::oracle {

std::set<Position> free_reads(const trace::Trace& trace, std::span<const Position> goal);

// The same events, of which those are the plain reads (and the goal's own reads, which nothing is
// demanded of): all others are atomic, so that under ReadDemand::free they keep their writer.
trace::Trace with_free_reads(const trace::Trace& trace, std::span<const Position> goal);

// Gives the events a few sites, and the trace lines about most of these, whatever they say.
void add_random_statements(trace::Trace& trace, Dice& dice);

}  // namespace foretell::oracle

// SPDX-License-Identifier: Apache-2.0

// Final reads: the final state of a run, as reads for which the judge can decide what they see.
//
// NONDET, section III, reads every shared variable once more after the end. Here that is a
// trace with a few more events at its end: a thread that joins all others and then forks one reader
// for each chosen location. A reordering in which such a reader is next contains every event of the
// trace, and which of the other readers have run does not matter to it.
//
// Memory that was freed has no final state.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "judge/trace_facts.h"

namespace foretell::analysis {

inline constexpr std::string_view kFinalThread = "the end";

struct FinalReads {
  trace::Trace trace;                  // the given one and the added events
  std::vector<judge::Position> reads;  // by location asked for
};

FinalReads add_final_reads(const trace::Trace& trace, std::span<const LocationId> locations);

// The locations whose last write could be another one, as far as program order and what events wait
// for (judge/need_clocks.h) say. All others are deterministic at the end.
std::vector<LocationId> open_final_states(const judge::TraceFacts& facts);

// The writes that could be the last one in another schedule: only the order of critical sections
// keeps others after them.
std::vector<judge::Position> possible_last_writes(const judge::TraceFacts& facts,
                                                  LocationId location);

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

// Races that only reads of the same value from another write allow: for the judge.
//
// What the analyses propose takes "a write comes before the reads of it" for granted. Here
// `predictable` looks at the trace once more, and reads that several writes could serve
// (judge/read_values.h) order nothing. What it proposes in addition goes to the judge like
// everything else; what the judge refutes is forgotten, because nobody had suspected it.
//
// Bounded: only traces of up to kMostEventsForValueRaces, because this is one more analysis.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "finding/finding.h"
#include "trace/trace.h"

namespace foretell::pipeline {

inline constexpr size_t kMostEventsForValueRaces = 2'000'000;

// One pair for each pair of sites, or of accesses where there are no sites; at most `most`.
std::vector<finding::Proposal> value_races(const trace::Trace& trace,
                                           const analysis::AnalysisOptions& options, size_t most);

}  // namespace foretell::pipeline

// SPDX-License-Identifier: Apache-2.0

// Trials: what only the demand that reads return what they returned stands against.
//
// In a reordering every read keeps its write, because a thread that reads something else may go
// another way. Often it does not: two threads that count under a lock before they take a second one
// deadlock whatever they have counted. No trace tells the one case from the other, but the program
// does. So the judge is asked once more about a trace whose plain reads return anything, and what
// it finds there is replayed. Only what then happens on the real program becomes a finding.
//
// Proposed are the races and deadlocks that the judge refuted or gave up, and races of writes that
// `predictable` finds in the trace without reads.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "pipeline/judging.h"

namespace foretell::pipeline {

struct Trial {
  finding::Proposal proposal;
  finding::Witness witness;
};

inline constexpr size_t kMostTrials = 8;
// A longer trace is not searched for trials: the program may take long to replay.
inline constexpr size_t kMostEventsForTrials = 200'000;

std::vector<Trial> find_trials(const trace::Trace& trace, const std::vector<Ruling>& rulings,
                               const analysis::AnalysisOptions& analysis,
                               const JudgingOptions& options);

}  // namespace foretell::pipeline

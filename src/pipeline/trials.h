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
//
// Whether another value of a read is an error is for the program to decide, too: that the second
// thread reads what the first one wrote is normal, unless an assertion fails or a null pointer is
// followed then. So reads that can return another value are tried, and only those after which the
// program ends badly become findings. Of the reads at one place a few are tried, the first ones of
// all places before the second ones.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "pipeline/judging.h"

namespace foretell::pipeline {

struct Trial {
  finding::Proposal proposal;
  finding::Witness witness;
  EventIndex recorded_write = kNoEvent;  // nondeterminism: what the read saw in the trace
};

inline constexpr size_t kMostTrials = 8;
inline constexpr size_t kMostReadTrials = 32;
// A longer trace is not searched for trials: the program may take long to replay.
inline constexpr size_t kMostEventsForTrials = 200'000, kMostEventsForReadTrials = 100'000;

std::vector<Trial> find_trials(const trace::Trace& trace, const std::vector<Ruling>& rulings,
                               const analysis::AnalysisOptions& analysis,
                               const JudgingOptions& options);
// Reads, each with another value that it can return.
std::vector<Trial> find_read_trials(const trace::Trace& trace,
                                    const analysis::AnalysisOptions& analysis,
                                    const JudgingOptions& options);

}  // namespace foretell::pipeline

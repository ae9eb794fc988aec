// SPDX-License-Identifier: Apache-2.0

// From a recorded run to findings that were tried on the real program: what `foretell run` does for
// one process and `foretell test` for many.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "launch/recorder.h"
#include "launch/run_directory.h"
#include "pipeline/driver.h"
#include "replay/replayer.h"

namespace foretell::replay {

// The findings of the trace, and the deadlock the run itself ended in if it did.
Result<finding::AnalysisResult> analyze_run(const launch::RecordedRun& run,
                                            const pipeline::DriverOptions& options);

// Gives each finding with a witness its schedule, and a file with it.
Result<void> add_schedules(const launch::RunDirectory& directory, const launch::RecordedRun& run,
                           finding::AnalysisResult& result);

// How many steps of a witness are about to run when everything before them has run.
size_t steps_at_end(finding::WitnessEnd end);

struct TryOptions {
  std::optional<std::chrono::milliseconds> time_limit;
  std::optional<std::chrono::steady_clock::time_point> deadline;  // of all its runs together
  const std::atomic<bool>* stop = nullptr;  // they are ended when it becomes true
  bool compare_ends = true;  // the recorded run came to its own end, which says what is usual
};

// Forces the schedule of a predicted finding on the program; it is confirmed, with what comes of it
// then, or says why not.
Result<ReplayResult> try_finding(const Replayer& replayer, finding::Finding& finding,
                                 const TryOptions& options);

// Positions in `kinds` in the order in which replays are spent: the first of every kind, then the
// second of every kind, and so on. Many races must not use up what one deadlock needs.
std::vector<size_t> fair_order(std::span<const finding::FindingKind> kinds);

// What happened comes before what could; names stay.
void sort_by_verdict(std::vector<finding::Finding>& findings);

}  // namespace foretell::replay

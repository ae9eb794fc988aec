// SPDX-License-Identifier: Apache-2.0

// What `foretell run` explores by itself.
//
// One run predicts what follows from its own steps. What another branch does is seen only by a run
// that takes it, so the program goes on like under `foretell explore`: for as long as the first run
// took, and at least a second, because one command is what people type. What is found is added to
// the findings of the first run, each error once; the runs that show something stay in processes/
// of the same folder.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <vector>

#include "cli/command_budget.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "cli/replay_options.h"
#include "cli/trace_reports.h"
#include "finding/result.h"
#include "launch/recorder.h"
#include "pipeline/driver.h"

namespace foretell::cli {

struct FurtherRuns {
  std::optional<size_t> most;  // 1: only the recorded one; none: as many as the time allows

  void add_to(CLI::App& command);

  // What all further runs have in common with the first.
  struct Setting {
    const launch::RunDirectory& directory;
    const launch::RecordedRun& first;
    const pipeline::DriverOptions& analysis;
    const ReplayOptions& replays;
    const CommandBudget& budget;
    Progress& progress;
  };

  // Whether the first run is one that others can be compared with, and nobody asked for only one.
  bool are_wanted(const RecordingOptions& recording, const Setting& setting) const;

  // Adds what they show to `result`, and says how far they came. Whoever calls it names the findings
  // and calls finish().
  Result<void> explore(const Setting& setting, finding::AnalysisResult& result);

  // Writes the runs whose findings are in `result`.
  Result<void> finish(const Setting& setting, const finding::AnalysisResult& result);
  std::vector<ReportedTrace> traces() const;

  FurtherRuns();
  ~FurtherRuns();

 private:
  std::unique_ptr<class ExploredFindings> found_;
};

}  // namespace foretell::cli

// SPDX-License-Identifier: Apache-2.0

// A recorded run, as the reports made from it later need it: `report` and `view` share this.
#pragma once

#include <string>

#include "cli/report_options.h"
#include "launch/run_directory.h"
#include "launch/run_trace.h"

namespace foretell::cli {

struct ReportedRun {
  finding::AnalysisResult result;
  std::vector<ReportedTrace> traces;
};

// The trace of the run and what is known of how it was made.
ReportedTrace reported_trace(const launch::RunDirectory& directory, const launch::RunInfo& info,
                             const launch::RunTrace& trace);

// What the recorded run itself shows, without what further runs of the program have shown.
finding::AnalysisResult found_in_first(finding::AnalysisResult result);

// The findings of an earlier report, as they were found: how they stood to a baseline, and remarks,
// were that command's.
Result<finding::AnalysisResult> read_plainly(const std::string& path);

// What is to be said of a run, or of only one of its findings. Of a run of `foretell test` all
// processes that show a finding have their trace in it, or only the one that shows this finding.
Result<ReportedRun> open_reported_run(const std::string& run_path, const std::string& finding);

// Only the finding `id`, which may be a dismissed one; everything if it is empty.
Result<void> keep_only(finding::AnalysisResult& result, const std::string& id);

}  // namespace foretell::cli

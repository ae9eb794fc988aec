// A recorded run, as the reports made from it later need it: `report` and `view` share this.
#pragma once

#include <string>

#include "cli/report_options.h"
#include "replay/run_directory.h"

namespace foretell::cli {

// The trace of the run and what is known of how it was made.
ReportedTrace reported_trace(const RunDirectory& directory, const RunInfo& info);

// Only the finding `id`, which may be a dismissed one; everything if it is empty.
Result<void> keep_only(AnalysisResult& result, const std::string& id);

}  // namespace foretell::cli

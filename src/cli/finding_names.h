// SPDX-License-Identifier: Apache-2.0

// The names of findings, which last from run to run (report/remembered_names.h).
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"
#include "launch/run_directory.h"

namespace foretell::cli {

// A finding has the same name in every run of this build. Findings have their fingerprints.
Result<void> name_findings(const launch::RunDirectory& directory, const launch::BuildId& build,
                           finding::AnalysisResult& result);

// Of `foretell test`: in every test run here, whichever processes have it and however they are built.
Result<void> name_test_findings(const launch::RunDirectory& directory,
                                finding::AnalysisResult& result);

// Of a trace that belongs to a run: as in that run. Other traces have names of their own.
void name_trace_findings(const std::string& trace, finding::AnalysisResult& result);

// What is found in .foretell/latest, in the order of its report; nothing if there is no such run.
std::vector<std::string> names_in_latest_run();

}  // namespace foretell::cli

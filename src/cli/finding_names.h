// SPDX-License-Identifier: Apache-2.0

// The names of findings, which last from run to run (report/remembered_names.h).
#pragma once

#include "finding/result.h"
#include "launch/run_directory.h"

namespace foretell::cli {

// A finding has the same name in every run of this build.
Result<void> name_findings(const launch::RunDirectory& directory, const launch::BuildId& build,
                           finding::AnalysisResult& result);

}  // namespace foretell::cli

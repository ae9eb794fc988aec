// Findings of an earlier run, read back from its findings.json (docs/json.md).
#pragma once

#include <string>
#include <vector>

#include "analysis/result.h"

namespace foretell {

// The finding `id` of the report in `path`, which may be a dismissed one. Its analyses are not
// read.
Result<Finding> read_finding(const std::string& path, const std::string& id);

// All findings of a report, and what was analysed.
Result<AnalysisResult> read_findings(const std::string& path);

}  // namespace foretell

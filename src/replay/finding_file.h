// Findings of an earlier run, read back from its findings.json (docs/json.md).
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"

namespace foretell {

// The finding `id` of the report in `path`, which may be a dismissed one. Of its analyses only
// those that this Foretell has.
Result<Finding> read_finding(const std::string& path, const std::string& id);

// All of the report: findings, what was dismissed, warnings.
Result<AnalysisResult> read_findings(const std::string& path);

}  // namespace foretell

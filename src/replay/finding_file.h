// Findings of an earlier run, read back from its findings.json (docs/json.md): what replaying one
// needs of it.
#pragma once

#include <string>
#include <vector>

#include "analysis/result.h"

namespace foretell {

// The finding `id` of the report in `path`. Its analyses, locks and stats are not read.
Result<Finding> read_finding(const std::string& path, const std::string& id);

}  // namespace foretell

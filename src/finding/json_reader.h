// SPDX-License-Identifier: Apache-2.0

// Findings of an earlier run, read back from its findings.json (docs/json.md): what json_writer.h
// writes, and what version 0.1.0 of Foretell wrote.
//
// Nothing of a finding is lost, but for bytes of names that are no UTF-8. Of a report, the exit
// codes of warnings and the place of the program (TraceSummary::file) are not part of it.
#pragma once

#include <string>
#include <string_view>

#include "finding/result.h"

namespace foretell::finding {

// The finding `id` of the report in the file `path`, which may be a dismissed one.
Result<Finding> read_finding(const std::string& path, const std::string& id);

// All of the report in the file `path`.
Result<AnalysisResult> read_findings(const std::string& path);

// All of a report; `name` is for messages.
Result<AnalysisResult> parse_findings(std::string_view text, const std::string& name);

}  // namespace foretell::finding

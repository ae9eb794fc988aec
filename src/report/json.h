// The JSON report; docs/json.md documents it. Keys are added, never renamed.
#pragma once

#include <string>

#include "analysis/result.h"
#include "report/finding_tests.h"

namespace foretell {

struct JsonOptions {
  bool stats = false;
  const FindingTests* tests = nullptr;
};

std::string to_json(const AnalysisResult& result, const JsonOptions& options = {});

}  // namespace foretell

// The JSON report; docs/json.md documents it. Keys are added, never renamed.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell {

struct JsonOptions {
  bool stats = false;
};

std::string to_json(const AnalysisResult& result, const JsonOptions& options = {});

}  // namespace foretell

// The terminal report: verdict first, names before addresses, then how it happens.
#pragma once

#include <string>

#include "analysis/result.h"
#include "report/finding_tests.h"

namespace foretell {

struct TextOptions {
  bool colour = false;
  bool possible = false;   // also what has no witness
  bool dismissed = false;  // also what the judge refuted
  bool stats = false;
  const FindingTests* tests = nullptr;  // a line for each finding that has some
  std::string directory;                // files below it are named as seen from there
};

std::string to_text(const AnalysisResult& result, const TextOptions& options = {});

}  // namespace foretell

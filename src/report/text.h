// SPDX-License-Identifier: Apache-2.0

// The terminal report: verdict first, names before addresses, then how it happens.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::report {

struct TextOptions {
  bool color = false;
  bool possible = false;   // also what has no witness
  bool dismissed = false;  // also what the judge refuted
  bool stats = false;
  size_t columns = 80;
  bool utf8 = false;      // draw with more than ASCII
  std::string directory;  // files below it are named as seen from there
};

std::string to_text(const finding::AnalysisResult& result, const TextOptions& options = {});

// One finding of the trace or program `name`.
std::string finding_text(const finding::Finding& finding, const std::string& name);

}  // namespace foretell::report

// SPDX-License-Identifier: Apache-2.0

// The JSON report; docs/json.md documents it. Keys are added, never renamed. json_reader.h reads it
// back; tests/unit/finding/json_round_trip_test.cc holds the two against each other.
#pragma once

#include <string>

#include "finding/result.h"

namespace foretell::finding {

// The "foretell" of a report. 2: what was dismissed has a verdict of its own, and a witness says
// how much of it is as recorded.
inline constexpr int kJsonVersion = 2;

struct JsonOptions {
  bool stats = false;
};

std::string to_json(const AnalysisResult& result, const JsonOptions& options = {});

}  // namespace foretell::finding

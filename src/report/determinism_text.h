// SPDX-License-Identifier: Apache-2.0

// The report of `foretell determinism`: what each read can return, by place, and a verdict.
#pragma once

#include <string>
#include <string_view>

#include "analysis/determinism/determinism.h"

namespace foretell::report {

struct DeterminismTextOptions {
  std::string_view name;            // of the trace
  bool harmless = false;            // also reads that return the same value from another write
  std::string_view directory = "";  // files below it are named as seen from there
  bool final_state = false;         // only that was asked about
};

std::string determinism_text(const trace::Trace& trace, const analysis::DeterminismResult& result,
                             const DeterminismTextOptions& options);

}  // namespace foretell::report

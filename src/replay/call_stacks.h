// SPDX-License-Identifier: Apache-2.0

// How threads came to the events of findings: the program runs once more, as it was recorded, and
// says so at those steps.
#pragma once

#include <functional>
#include <vector>

#include "launch/recorder.h"
#include "program/code_place.h"
#include "replay/confirm.h"

namespace foretell::replay {

// For each address its places, the innermost inlined call first.
using Symbolizer = std::function<Result<std::vector<std::vector<program::CodePlace>>>(
    const std::vector<program::CodeAddress>&)>;

// Fills the stacks of the events of all findings that are shown, and their origins: where their
// threads were created and their memory was allocated. What cannot be had stays empty.
Result<void> add_call_stacks(const Replayer& replayer, const launch::RecordedRun& run,
                             const Symbolizer& symbolize, const TryOptions& options,
                             finding::AnalysisResult& result);

}  // namespace foretell::replay

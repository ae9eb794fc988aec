// SPDX-License-Identifier: Apache-2.0

// What a race explains is not reported a second time as nondeterminism.
//
// If two accesses race, either can come first, and the value that is read depends on it: the read
// and the write it could see instead, or the write it saw, or these two writes. The race is the
// cause, and its report says how to fix it.
#pragma once

#include <span>
#include <vector>

#include "analysis/registry.h"
#include "finding/result.h"

namespace foretell::pipeline {

// Which analyses yield to which kind of finding is in analysis/registry.def.
void drop_explained(std::span<const analysis::AnalysisEntry* const> analyses,
                    std::vector<finding::Finding>& findings);

}  // namespace foretell::pipeline

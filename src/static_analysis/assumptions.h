// SPDX-License-Identifier: Apache-2.0

// What a verdict would have to assume harmless, because it cannot be seen into.
#pragma once

#include "bitcode/points_to/points_to.h"
#include "static_analysis/check.h"
#include "static_analysis/threads/threads.h"

namespace foretell::static_analysis {

// Of code that some thread runs.
std::vector<Assumption> find_assumptions(const Threads& threads,
                                         const bitcode::PointsTo& points_to);

// Whether the user vouches for it: `accepted` has its name, or "all".
bool is_accepted(const Assumption& assumption, const std::vector<std::string>& accepted);

}  // namespace foretell::static_analysis

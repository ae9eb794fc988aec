// SPDX-License-Identifier: Apache-2.0

// The module that both the symbolic executor and the constrained program are made from (COVER 4.1.4).
//
// Optimizations that duplicate synchronization make more schedules than the program has. So the
// sources are compiled without optimization and linked; functions that synchronize and all their
// transitive callers become `noduplicate`; and only then mem2reg, sroa and simplifycfg bring the
// code into registers. Loops are not rotated. The order of functions and instructions is final
// from here on, and numbers them.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::bitcode {

// From files of bitcode, or one program that keeps its own. Gives bitcode.
Result<std::string> prepare(const std::vector<std::string>& paths);

}  // namespace foretell::bitcode

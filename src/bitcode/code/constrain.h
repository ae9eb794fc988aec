// SPDX-License-Identifier: Apache-2.0

// Rewrites a prepared module for constrained execution (COVER 6.2).
//
// Calls of functions of program/synchronization.def become calls of the runtime in constrained/,
// with the number of the instruction as their first argument. main becomes
// foretell_program_main; the runtime has the main that selects the schedule first. At the
// instructions of `markers`, which begin loops, the runtime is told that an epoch may end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::bitcode {

Result<std::string> constrain(std::string_view bitcode, const std::vector<uint32_t>& markers);

}  // namespace foretell::bitcode

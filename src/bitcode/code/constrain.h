// SPDX-License-Identifier: Apache-2.0

// Rewrites a prepared module for constrained execution (COVER 6.2).
//
// Calls of functions of program/synchronization.def become calls of the runtime in constrained/,
// with the number of the instruction as their first argument. main becomes
// foretell_program_main; the runtime has the main that selects the schedule first. At markers,
// which begin loops, the runtime is told that an epoch may end. Registers that a selector reads are copied
// to where it finds them, before the thread comes to where it may have to wait.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::bitcode {

struct ConstrainPlan {
  // Instructions before whose blocks' rest an epoch may end.
  std::vector<uint32_t> markers;
  // Instructions before which an epoch may end.
  std::vector<uint32_t> readings;
  // Registers that selectors read while the thread is at an instruction: the n-th is kept in slot n.
  struct Shadow {
    uint32_t site = 0, reg = 0;
  };
  std::vector<Shadow> shadows;
  // Globals that selectors read, by number: they get the name foretell_global_N.
  std::vector<uint32_t> globals;
};

Result<std::string> constrain(std::string_view bitcode, const ConstrainPlan& plan);

}  // namespace foretell::bitcode

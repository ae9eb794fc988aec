// SPDX-License-Identifier: Apache-2.0

// Writes the C source that a constrained program is linked with (constrained/schedule_tables.h): the
// schedules, and the selector as a decision tree of native code. A term is computed when it is first asked
// for, and once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "symbolic/schedules/cover.h"

namespace foretell::symbolic {

// What the selectors of epochs read: registers at instructions, in the order of their slots, and globals.
struct Reads {
  std::vector<std::pair<uint32_t, uint32_t>> registers;  // (instruction, register)
  std::vector<uint32_t> globals;
};
Reads reads_of(const Cover& cover);

std::string c_tables(const Cover& cover);

}  // namespace foretell::symbolic

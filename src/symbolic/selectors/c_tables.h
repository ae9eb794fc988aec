// SPDX-License-Identifier: Apache-2.0

// Writes the C source that a constrained program is linked with (constrained/schedule_tables.h): the
// schedules, and the selector as a decision tree of native code. A term is computed when it is first asked
// for, and once.
#pragma once

#include <string>

#include "symbolic/schedules/cover.h"

namespace foretell::symbolic {

std::string c_tables(const Cover& cover);

}  // namespace foretell::symbolic

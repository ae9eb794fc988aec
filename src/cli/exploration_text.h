// SPDX-License-Identifier: Apache-2.0

// How far exploring a program came, in words.
#pragma once

#include "explore/explorer.h"

namespace foretell::cli {

// "17 runs, 5 behaviors: all schedules of this input are covered", with what is not covered as
// notes. `where` is what was explored; empty: the only program there is.
Diagnostic exploration_note(const explore::Exploration& done, const std::string& where = "");

}  // namespace foretell::cli

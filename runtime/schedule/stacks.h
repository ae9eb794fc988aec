// SPDX-License-Identifier: Apache-2.0

// Call stacks on demand: a run that follows a schedule writes down how its threads came to certain
// steps (recording/stacks.h). Nothing of that is recorded while a program is watched or recorded.
#pragma once

#include <stdint.h>

namespace foretell::rt {

// Reads the steps from the options and loads the unwinder, where nothing is a step yet.
void start_stacks();

// The next step, from 1, whose stack is wanted; 0: none.
uint64_t next_stack();

// Writes the calling thread's stack if step `step` is wanted, which it is about to take.
void write_stack(uint64_t step);

}  // namespace foretell::rt

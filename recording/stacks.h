// SPDX-License-Identifier: Apache-2.0

// The file of call stacks that the runtime writes for the steps named by the option stack_steps.
//
// For each step, in the order of the schedule: a StackHeader, and for each frame, innermost first, a
// FrameHeader and the path of the object the code is in (empty: the program itself).
#pragma once

#include <cstdint>

namespace foretell::recording {

struct StackHeader {
  uint64_t step = 0;  // of the schedule, from 1
  uint64_t frames = 0;
};

struct FrameHeader {
  uint64_t offset = 0;  // of the instruction after the call, in the object as it is on disk
  uint64_t path_size = 0;
};

}  // namespace foretell::recording

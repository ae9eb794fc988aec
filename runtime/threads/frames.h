// SPDX-License-Identifier: Apache-2.0

// Frames: the calls that a thread which watches is in.
//
// Entering and leaving a function are steps. A body that watches only notes them in slots->frames
// (recording/hooks.h), and they are recorded before the thread's next other step, if the call still
// goes on then. Which ones that are depends on the thread's own steps alone.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

// False if there is no memory.
bool begin_frames(Thread* thread);
void end_frames(Thread* thread);

// Records the next entry or exit that comes before the thread's next step; false if there is none.
// `has_next_frame` says whether there is one.
bool has_next_frame(const Thread* thread);
void put_next_frame(Thread* thread);

// The site of the allocating call and the innermost calls that led there.
uint64_t key_of_allocation(const Thread* thread, uint32_t site);

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// Attaching threads: a thread of the program becomes one that the runtime knows, and ends as one.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

// The calling thread, attached to the scheduler; null if recording is off, or the thread is past
// its end, or has not begun.
Thread* self();

// The mask of a thread until it has begun: a handler that ran there before it knows who it is would
// take it for a thread that the program did not create. All signals but the last, so that it is not
// the mask of a thread that the program gave one that blocks all.
inline constexpr uint64_t kBlockedAtBirth =
    ~(uint64_t{1} << (SIGKILL - 1) | uint64_t{1} << (SIGSTOP - 1) | uint64_t{1} << 63);

// A thread that `parent` is about to create, with the number that the schedule gives it.
Thread* new_child(Thread* parent);

void begin_thread(Thread* thread);  // on the new thread itself
void end_thread(Thread* thread);    // on the ending thread itself; its last step
// Has end_thread called when the calling thread ends.
void await_end(Thread* thread);

}  // namespace foretell::rt

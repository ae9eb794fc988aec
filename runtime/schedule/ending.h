// SPDX-License-Identifier: Apache-2.0

// The end of the process.
//
// The thread that ends the process waits in the scheduler while the others run on, until each has
// ended, is blocked, or they have used up a bound together. Natively they could have come first: so
// a thread that main creates and does not join is part of the run. A schedule to follow says itself
// when the waiting ends.
//
// What counts as blocked: a wait that only a thread, an input or the kernel can end, and yielding
// without a step in between. Sleeping threads are woken a few times. If the bound ends the waiting,
// the recording says so.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

// The thread ends the process. False if another one is doing that: then this one must never go on.
bool begin_ending(Thread* thread);
// Whether another thread has not ended, so that waiting makes sense.
bool others_are_left(const Thread* thread);

// For the scheduler, with its lock held.
// The thread that waits to end the process, or null.
Thread* waiting_to_end();
// At most as many steps as are left before the waiting ends.
uint64_t budget_before_end(uint64_t budget);
// A decision: ends the waiting if the steps are used up.
void check_bound_of_ending();
// A thread has yielded.
void count_yield_before_end();
// No thread can run but those that sleep: whether one of them may be woken. If not, the waiting is
// over.
bool may_wake_before_end(const Thread* sleeper);
void forget_ending();

}  // namespace foretell::rt

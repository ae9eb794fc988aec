// SPDX-License-Identifier: Apache-2.0

// Steps: where a thread is stopped and goes on.
//
// An intercepted function looks like this:
//
//   int pthread_mutex_unlock(pthread_mutex_t* mutex) {
//     Call call(__builtin_return_address(0));
//     if (!call) return real.pthread_mutex_unlock(mutex);   // off, or called by the runtime itself
//     before_step(call.thread);                             // others may run before this returns
//     const int result = real.pthread_mutex_unlock(mutex);
//     if (result == 0) put(call.thread, Op::Release, call.site, mutex);
//     ...
//     return result;
//   }
//
// Every step needs its own before_step: that is where schedules are counted and where a thread is
// stopped.
#pragma once

#include "runtime/threads/records.h"

namespace foretell::rt {

// Returns when the thread may take its next step. `synchronizes` steps are where strategies like to
// switch.
void before_step(Thread* thread, bool synchronizes = true);

// The same before an access of a thread that watches. A strategy never stops it there: it must not
// matter to the run whether the access is recorded.
void before_access(Thread* thread);

// Records the entries and exits of a thread that watches up to here.
void tell_frames(Thread* thread);

// Code of the program that an intercepted function calls: steps it takes are its own. No
// destructor, because an exception or the end of the thread may leave it another way, and then
// nobody is inside either.
void leave_runtime(Thread* thread);
void reenter_runtime(Thread* thread);

}  // namespace foretell::rt

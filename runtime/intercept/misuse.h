// SPDX-License-Identifier: Apache-2.0

// Misuse of synchronization: what the program may not do with a mutex, a condition, ... and does
// all the same. libc either returns an error, which few programs look at, or believes the caller.
// Only controlled mode knows who holds what.
#pragma once

#include <pthread.h>

#include "recording/words.h"
#include "runtime/threads/thread.h"

namespace foretell::rt {

using recording::Misuse;
using recording::Synchronizer;

// Records it, before the step that it is seen at; it is no step. `other`: a thread that it concerns as well.
void note_misuse(Thread* thread, uint32_t site, Misuse how, Synchronizer what, const void* object,
                 const Thread* other = nullptr);

// The thread is about to unlock it.
void check_unlock(Thread* thread, uint32_t site, const pthread_mutex_t* mutex);
// The thread is about to wait on the condition.
void check_wait(Thread* thread, uint32_t site, const pthread_cond_t* condition,
                const pthread_mutex_t* mutex);

// The object is about to be destroyed: a step. Says how that is misuse.
void destroy(Thread* thread, uint32_t site, Synchronizer what, const void* object);

}  // namespace foretell::rt

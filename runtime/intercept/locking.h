// SPDX-License-Identifier: Apache-2.0

// Locking and unlocking as steps, for the intercepted functions that do it on the way.
#pragma once

#include <errno.h>

#include "runtime/intercept/cancel.h"
#include "runtime/schedule/steps.h"

namespace foretell::rt {

// Controlled mode: gets the lock at `object` by `try_it`, which never blocks and says EBUSY where
// it would have to, blocking in the scheduler in between. Returns what try_it said last, or
// ETIMEDOUT.
template <class Try>
int acquire_by_trying(Thread* thread, const void* object, uint64_t deadline, Try try_it) {
  for (;;) {
    before_step(thread);
    const int result = try_it();
    if (result != EBUSY) return result;
    if (block(thread, Wait::lock, object, deadline) == Woken::timed_out) {
      before_step(thread);
      const int last = try_it();
      return last == EBUSY ? ETIMEDOUT : last;
    }
  }
}

// Controlled mode: gets the mutex, blocking in the scheduler. The result is libc's; on success the
// caller still has to record the step, with mutex_acquired or as part of another one.
int acquire_mutex(Thread* thread, pthread_mutex_t* mutex, uint64_t deadline);
void mutex_acquired(Thread* thread, pthread_mutex_t* mutex, uint32_t site, uint64_t limit);
// The same at the end of a wait on a condition. Handlers of signals run later: a thread takes no
// step while it waits.
int relock_after_wait(Thread* thread, pthread_mutex_t* mutex);
// After before_step: unlocks and records it.
int release_mutex(Thread* thread, pthread_mutex_t* mutex, uint32_t site);
// Whether nobody holds it any more: a recursive mutex is free only after as many unlocks as locks.
bool is_free(const pthread_mutex_t* mutex);

// The calls behind the functions of POSIX and of C11.
int lock_mutex(Thread* thread, uint32_t site, pthread_mutex_t* mutex);
int lock_mutex_until(Thread* thread, uint32_t site, pthread_mutex_t* mutex, clockid_t clock,
                     const timespec* until);
int try_mutex(Thread* thread, uint32_t site, pthread_mutex_t* mutex);
int wait_for_condition(Thread* thread, uint32_t site, pthread_cond_t* condition,
                       pthread_mutex_t* mutex);
int wait_for_condition_until(Thread* thread, uint32_t site, pthread_cond_t* condition,
                             pthread_mutex_t* mutex, clockid_t clock, const timespec* until);
int notify_one(Thread* thread, uint32_t site, pthread_cond_t* condition);
int notify_all(Thread* thread, uint32_t site, pthread_cond_t* condition);
// The mutex at this address begins a new life.
void forget_mutex(Thread* thread, pthread_mutex_t* mutex);
// The thread ends: its robust mutexes are given up.
void abandon_robust_mutexes(Thread* thread);

int create_thread(Thread* thread, uint32_t site, pthread_t* handle,
                  const pthread_attr_t* attributes, void* (*start)(void*), int (*c11_start)(void*),
                  void* argument);
int join_thread(Thread* thread, uint32_t site, pthread_t handle, void** result);

}  // namespace foretell::rt

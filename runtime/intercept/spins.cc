// SPDX-License-Identifier: Apache-2.0

// Spin locks. In controlled mode nobody spins: the thread is blocked until the lock is free.
#include "runtime/intercept/call.h"
#include "runtime/intercept/locking.h"
#include "runtime/intercept/misuse.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/lock_owners.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

using namespace foretell::rt;

namespace {

void acquired(const Call& call, pthread_spinlock_t* lock, uint64_t limit) {
  set_owner(const_cast<int*>(lock), call.thread);
  put(call.thread, Op::Acquire, call.site, const_cast<int*>(lock), limit);
}

}  // namespace

FORETELL_INTERCEPT int pthread_spin_lock(pthread_spinlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_spin_lock(lock);
  before_step(call.thread);
  put(call.thread, Op::Request, call.site, const_cast<int*>(lock));
  int result;
  if (mode == Mode::parallel) {
    result = real.pthread_spin_lock(lock);
    before_step(call.thread);
  } else {
    result = acquire_by_trying(call.thread, const_cast<int*>(lock), kForever,
                               [=] { return real.pthread_spin_trylock(lock); });
  }
  if (result == 0) acquired(call, lock, 0);
  return result;
}

FORETELL_INTERCEPT int pthread_spin_trylock(pthread_spinlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_spin_trylock(lock);
  before_step(call.thread);
  const int result = real.pthread_spin_trylock(lock);
  if (result == 0) {
    acquired(call, lock, foretell::recording::kLimited);
  } else {
    put(call.thread, Op::TryFail, call.site, const_cast<int*>(lock));
  }
  return result;
}

FORETELL_INTERCEPT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_spin_unlock(lock);
  before_step(call.thread);
  put(call.thread, Op::Release, call.site, const_cast<int*>(lock));
  const int result = real.pthread_spin_unlock(lock);
  if (mode == Mode::controlled) {
    set_owner(const_cast<int*>(lock), nullptr);
    wake(Wait::lock, const_cast<int*>(lock));
  }
  return result;
}

FORETELL_INTERCEPT int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  Call call(__builtin_return_address(0));
  if (call) set_owner(const_cast<int*>(lock), nullptr);
  return real.pthread_spin_init(lock, shared);
}

FORETELL_INTERCEPT int pthread_spin_destroy(pthread_spinlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (call) {
    destroy(call.thread, call.site, Synchronizer::lock, const_cast<int*>(lock));
    set_owner(const_cast<int*>(lock), nullptr);
  }
  return real.pthread_spin_destroy(lock);
}

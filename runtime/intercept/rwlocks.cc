// SPDX-License-Identifier: Apache-2.0

// Read-write locks. As with mutexes the real lock is the truth and is tried.
#include "runtime/intercept/call.h"
#include "runtime/intercept/locking.h"
#include "runtime/intercept/misuse.h"
#include "runtime/intercept/unseen.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/lock_owners.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/schedule/virtual_time.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

struct Kind {
  Op request, acquire, fail;
};
constexpr Kind kShared{Op::RequestShared, Op::AcquireShared, Op::TryFailShared};
constexpr Kind kExclusive{Op::Request, Op::Acquire, Op::TryFail};

// libc remembers the thread that writes.
bool writes(const Thread* thread, const pthread_rwlock_t* lock) {
  return lock->__data.__cur_writer == static_cast<int>(thread->os_id);
}

// As glibc counts: above the three lowest bits who reads, and one of these is set while one writes.
bool is_unlocked(const pthread_rwlock_t* lock) {
  constexpr unsigned kFlags = 3, kWriteLocked = 2;
  const unsigned word = lock->__data.__readers;
  return word >> kFlags == 0 && !(word & kWriteLocked);
}

int acquired_or_not(const Call& call, const void* caller, pthread_rwlock_t* lock, Kind kind,
                    int result, uint64_t limit) {
  Thread* thread = call.thread;
  const uint32_t site = call.site;
  if (result == 0) {
    if (kind.acquire == Op::Acquire) set_owner(lock, thread);
    put(thread, kind.acquire, site, lock, limit);
    order_unseen_section(call, caller, lock);
  } else {
    put(thread, kind.fail, site, lock);
  }
  return result;
}

int try_lock(pthread_rwlock_t* lock, Kind kind) {
  return kind.acquire == Op::Acquire ? real.pthread_rwlock_trywrlock(lock)
                                     : real.pthread_rwlock_tryrdlock(lock);
}

template <class RealLock>
int lock_until(const Call& call, const void* caller, pthread_rwlock_t* lock, Kind kind,
               uint64_t deadline, RealLock real_lock) {
  Thread* thread = call.thread;
  before_step(thread);
  // Its own writer would wait for itself: libc says so at once.
  if (writes(thread, lock)) {
    if (mode == Mode::controlled) {
      note_misuse(thread, call.site, Misuse::relock, Synchronizer::lock, lock);
    }
    put(thread, kind.fail, call.site, lock);
    return real_lock();
  }
  put(thread, kind.request, call.site, lock);
  int result;
  if (mode == Mode::parallel) {
    result = real_lock();
    before_step(thread);
  } else if (lock->__data.__shared) {
    // Other processes may unlock it where we do not see it.
    before_step(thread);
    result = try_lock(lock, kind);
    if (result == EBUSY) {
      leave_control(thread);
      result = real_lock();
      enter_control(thread, recording::Why::blocking_call);
      before_step(thread);
    }
  } else {
    result = acquire_by_trying(thread, lock, deadline, [=] { return try_lock(lock, kind); });
  }
  return acquired_or_not(call, caller, lock, kind, result, limit_of(deadline));
}

int try_once(const Call& call, const void* caller, pthread_rwlock_t* lock, Kind kind) {
  before_step(call.thread);
  const int result = try_lock(lock, kind);
  return acquired_or_not(call, caller, lock, kind, result, recording::kLimited);
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_rwlock_rdlock(lock);
  return lock_until(call, __builtin_return_address(0), lock, kShared, kForever,
                    [=] { return real.pthread_rwlock_rdlock(lock); });
}

FORETELL_INTERCEPT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || !can_wait_until(CLOCK_REALTIME, until)) {
    return real.pthread_rwlock_timedrdlock(lock, until);
  }
  return lock_until(call, __builtin_return_address(0), lock, kShared,
                    virtual_deadline(CLOCK_REALTIME, until),
                    [=] { return real.pthread_rwlock_timedrdlock(lock, until); });
}

FORETELL_INTERCEPT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                                  const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || !can_wait_until(clock, until)) {
    return real.pthread_rwlock_clockrdlock(lock, clock, until);
  }
  return lock_until(call, __builtin_return_address(0), lock, kShared,
                    virtual_deadline(clock, until),
                    [=] { return real.pthread_rwlock_clockrdlock(lock, clock, until); });
}

FORETELL_INTERCEPT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_rwlock_tryrdlock(lock);
  return try_once(call, __builtin_return_address(0), lock, kShared);
}

FORETELL_INTERCEPT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_rwlock_wrlock(lock);
  return lock_until(call, __builtin_return_address(0), lock, kExclusive, kForever,
                    [=] { return real.pthread_rwlock_wrlock(lock); });
}

FORETELL_INTERCEPT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || !can_wait_until(CLOCK_REALTIME, until)) {
    return real.pthread_rwlock_timedwrlock(lock, until);
  }
  return lock_until(call, __builtin_return_address(0), lock, kExclusive,
                    virtual_deadline(CLOCK_REALTIME, until),
                    [=] { return real.pthread_rwlock_timedwrlock(lock, until); });
}

FORETELL_INTERCEPT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                                  const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || !can_wait_until(clock, until)) {
    return real.pthread_rwlock_clockwrlock(lock, clock, until);
  }
  return lock_until(call, __builtin_return_address(0), lock, kExclusive,
                    virtual_deadline(clock, until),
                    [=] { return real.pthread_rwlock_clockwrlock(lock, clock, until); });
}

FORETELL_INTERCEPT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_rwlock_trywrlock(lock);
  return try_once(call, __builtin_return_address(0), lock, kExclusive);
}

FORETELL_INTERCEPT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_rwlock_unlock(lock);
  before_step(call.thread);
  const Op op = writes(call.thread, lock) ? Op::Release : Op::ReleaseShared;
  if (mode == Mode::parallel) {
    // The next holder may record its acquire before the real call returns.
    put(call.thread, op, call.site, lock);
    return real.pthread_rwlock_unlock(lock);
  }
  if (const Thread* owner = owner_of(lock); owner && owner != call.thread) {
    note_misuse(call.thread, call.site, Misuse::unlock_of_other, Synchronizer::lock, lock, owner);
  } else if (!owner && is_unlocked(lock)) {
    note_misuse(call.thread, call.site, Misuse::unlock_of_free, Synchronizer::lock, lock);
  }
  const int result = real.pthread_rwlock_unlock(lock);
  if (result != 0) return result;
  if (op == Op::Release) set_owner(lock, nullptr);
  wake(Wait::lock, lock);
  put(call.thread, op, call.site, lock);
  return 0;
}

FORETELL_INTERCEPT int pthread_rwlock_init(pthread_rwlock_t* lock,
                                           const pthread_rwlockattr_t* attributes) {
  Call call(__builtin_return_address(0));
  if (call) set_owner(lock, nullptr);
  return real.pthread_rwlock_init(lock, attributes);
}

FORETELL_INTERCEPT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  Call call(__builtin_return_address(0));
  if (call) {
    destroy(call.thread, call.site, Synchronizer::lock, lock);
    set_owner(lock, nullptr);
  }
  return real.pthread_rwlock_destroy(lock);
}

// SPDX-License-Identifier: Apache-2.0

// Mutexes of every type.
//
// The real mutex stays the truth: it is tried, and only when that fails does the scheduler block
// the thread. So robust, error-checking and recursive mutexes behave as libc makes them, and code
// that was not compiled with Foretell may use the same mutex.
//
// A robust mutex whose owner ends is marked by the kernel when the thread is really gone, which is
// later than its last step. We mark it ourselves, as a step. A mutex that inherits priorities is
// left to the kernel: its waiter is woken by the owner's last step and gives the kernel the time.
#include <linux/futex.h>
#include <stddef.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/locking.h"
#include "runtime/intercept/misuse.h"
#include "runtime/intercept/unseen.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/lock_owners.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/schedule/virtual_time.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

constexpr int kKindMask = 3;
constexpr int kRobustBit = 16;
constexpr int kSharedBit = 128;     // between processes; libc sets it on robust mutexes too
constexpr int kHeldElsewhere = -1;  // by another process, whose unlocking we do not see
constexpr int kNotRecoverable = 0x7ffffffe;  // as __owner

int kind_of(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind & kKindMask;
}
bool is_robust(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind & kRobustBit;
}
bool shared_between_processes(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind & kSharedBit;
}

bool holds_it_already(Thread* thread, const pthread_mutex_t* mutex) {
  return kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK &&
         mutex->__data.__owner == static_cast<int>(thread->os_id);
}

int try_lock(pthread_mutex_t* mutex) {
  int result = real.pthread_mutex_trylock(mutex);
  if (result != EBUSY || !is_robust(mutex)) return result;
  const Thread* owner = owner_of(mutex);
  while (result == EBUSY && owner && owner->run == Run::ended) {
    constexpr uint64_t kMoment = 50'000;
    os::sleep_ns(kMoment);
    result = real.pthread_mutex_trylock(mutex);
  }
  return result;
}

template <class RealLock>
int lock(Thread* thread, uint32_t site, pthread_mutex_t* mutex, uint64_t deadline,
         RealLock real_lock) {
  before_step(thread);
  put(thread, Op::Request, site, mutex);
  int result;
  if (mode == Mode::parallel || holds_it_already(thread, mutex)) {
    result = real_lock();
    before_step(thread);
  } else {
    const bool shared = shared_between_processes(mutex);
    result = acquire_by_trying(thread, mutex, deadline, [=] {
      const int tried = try_lock(mutex);
      return tried == EBUSY && shared && !owner_of(mutex) ? kHeldElsewhere : tried;
    });
    if (result == kHeldElsewhere) {
      leave_control(thread);
      result = real_lock();
      enter_control(thread, recording::Why::blocking_call);
      before_step(thread);
    }
  }
  if (result == 0 || result == EOWNERDEAD) {
    mutex_acquired(thread, mutex, site, limit_of(deadline));
  } else {
    // Also for errors: every request has its answer.
    put(thread, Op::TryFail, site, mutex);
  }
  return result;
}

}  // namespace

bool is_free(const pthread_mutex_t* mutex) {
  return mutex->__data.__owner == 0 || mutex->__data.__owner == kNotRecoverable;
}

int acquire_mutex(Thread* thread, pthread_mutex_t* mutex, uint64_t deadline) {
  return acquire_by_trying(thread, mutex, deadline, [=] { return try_lock(mutex); });
}

int relock_after_wait(Thread* thread, pthread_mutex_t* mutex) {
  bool signal = false;
  int result;
  for (;;) {
    before_step(thread);
    result = try_lock(mutex);
    if (result != EBUSY) break;
    signal |= signal_waits(thread);
    thread->signals.waiting = false;
    suspend(thread, Wait::lock, mutex, kForever);
  }
  if (signal) thread->signals.waiting = true;
  return result;
}

void mutex_acquired(Thread* thread, pthread_mutex_t* mutex, uint32_t site, uint64_t limit) {
  set_owner(mutex, thread);
  put(thread, Op::Acquire, site, mutex, limit);
}

int release_mutex(Thread* thread, pthread_mutex_t* mutex, uint32_t site) {
  // In parallel mode the next holder may record its acquire before this call returns, so the
  // release is recorded first; an unlock that then fails leaves a release too many, which only an
  // error-checking mutex can do.
  if (mode == Mode::parallel) {
    if (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK && !holds_it_already(thread, mutex)) {
      return real.pthread_mutex_unlock(mutex);
    }
    put(thread, Op::Release, site, mutex);
    return real.pthread_mutex_unlock(mutex);
  }
  check_unlock(thread, site, mutex);
  const int result = real.pthread_mutex_unlock(mutex);
  if (result != 0) return result;
  if (is_free(mutex)) {
    set_owner(mutex, nullptr);
    wake(Wait::lock, mutex);
  }
  put(thread, Op::Release, site, mutex);
  return 0;
}

int lock_mutex(Thread* thread, uint32_t site, pthread_mutex_t* mutex) {
  return lock(thread, site, mutex, kForever, [=] { return real.pthread_mutex_lock(mutex); });
}

int lock_mutex_until(Thread* thread, uint32_t site, pthread_mutex_t* mutex, clockid_t clock,
                     const timespec* until) {
  const auto real_lock = [=] { return real.pthread_mutex_clocklock(mutex, clock, until); };
  if (!can_wait_until(clock, until)) {
    // libc looks at the time only when it has to wait.
    before_step(thread);
    const int result = try_mutex(thread, site, mutex);
    return result == EBUSY ? EINVAL : result;
  }
  return lock(thread, site, mutex, virtual_deadline(clock, until), real_lock);
}

int try_mutex(Thread* thread, uint32_t site, pthread_mutex_t* mutex) {
  before_step(thread);
  const int result = try_lock(mutex);
  if (result == 0 || result == EOWNERDEAD) {
    mutex_acquired(thread, mutex, site, recording::kLimited);
  } else if (result == EBUSY) {
    put(thread, Op::TryFail, site, mutex);
  }
  return result;
}

void forget_mutex(Thread* thread, pthread_mutex_t* mutex) {
  // Made anew while it was held, as programs do after fork: nobody holds it from here on.
  if (owner_of(mutex) == thread && mode == Mode::controlled) {
    before_step(thread);
    put(thread, Op::Release, recording::kNoSite, mutex);
  }
  set_owner(mutex, nullptr);
}

void abandon_robust_mutexes(Thread* thread) {
  robust_list_head* head = nullptr;
  size_t size = 0;
  if (os::call(SYS_get_robust_list, 0, os::word(&head), os::word(&size)) < 0 || !head) return;
  constexpr uintptr_t kPriorityBit = 1;
  const auto last = reinterpret_cast<uintptr_t>(&head->list);
  bool left_to_kernel = false;
  auto entry = reinterpret_cast<uintptr_t>(head->list.next);
  while ((entry & ~kPriorityBit) != last) {
    const uintptr_t at = entry & ~kPriorityBit;
    const bool priorities = entry & kPriorityBit;
    entry = reinterpret_cast<uintptr_t>(reinterpret_cast<robust_list*>(at)->next);
    auto* mutex =
        reinterpret_cast<pthread_mutex_t*>(at - offsetof(pthread_mutex_t, __data.__list.__next));
    before_step(thread);
    put(thread, Op::Release, recording::kNoSite, mutex);
    // Where order is real the kernel does it, later.
    if (mode == Mode::parallel || priorities) {
      left_to_kernel = true;
      continue;
    }
    __atomic_store_n(&mutex->__data.__lock, FUTEX_OWNER_DIED, __ATOMIC_RELEASE);
    os::call(SYS_futex, os::word(&mutex->__data.__lock), FUTEX_WAKE, 1);
    set_owner(mutex, nullptr);
    wake(Wait::lock, mutex);
  }
  // The others may take them from here on, and link them into lists of their own.
  if (!left_to_kernel) head->list.next = &head->list;
}

}  // namespace foretell::rt

using namespace foretell::rt;

namespace {

int locked(const Call& call, const void* caller, const pthread_mutex_t* mutex, int result) {
  if (result == 0 || result == EOWNERDEAD) order_unseen_section(call, caller, mutex);
  return result;
}

}  // namespace

FORETELL_INTERCEPT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_lock(mutex);
  return locked(call, __builtin_return_address(0), mutex,
                lock_mutex(call.thread, call.site, mutex));
}

FORETELL_INTERCEPT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_timedlock(mutex, until);
  return locked(call, __builtin_return_address(0), mutex,
                lock_mutex_until(call.thread, call.site, mutex, CLOCK_REALTIME, until));
}

FORETELL_INTERCEPT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                               const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || !is_waiting_clock(clock)) return real.pthread_mutex_clocklock(mutex, clock, until);
  return locked(call, __builtin_return_address(0), mutex,
                lock_mutex_until(call.thread, call.site, mutex, clock, until));
}

FORETELL_INTERCEPT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_trylock(mutex);
  return locked(call, __builtin_return_address(0), mutex, try_mutex(call.thread, call.site, mutex));
}

FORETELL_INTERCEPT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_unlock(mutex);
  before_step(call.thread);
  return release_mutex(call.thread, mutex, call.site);
}

FORETELL_INTERCEPT int pthread_mutex_init(pthread_mutex_t* mutex,
                                          const pthread_mutexattr_t* attributes) {
  Call call(__builtin_return_address(0));
  if (call) forget_mutex(call.thread, mutex);
  return real.pthread_mutex_init(mutex, attributes);
}

FORETELL_INTERCEPT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  Call call(__builtin_return_address(0));
  if (call) destroy(call.thread, call.site, Synchronizer::lock, mutex);
  const int result = real.pthread_mutex_destroy(mutex);
  if (call && result == 0) forget_mutex(call.thread, mutex);
  return result;
}

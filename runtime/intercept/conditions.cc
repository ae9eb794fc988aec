// SPDX-License-Identifier: Apache-2.0

// Condition variables.
//
// In controlled mode the real condition is never touched: who waits is in the scheduler, and each
// notify carries a ticket that the wake it causes repeats. Waiters wake in the order in which they
// began to wait. Conditions shared between processes are left to libc.
#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
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

// Bits of the condition's flags word in glibc.
constexpr unsigned kSharedBit = 1;
constexpr unsigned kMonotonicBit = 2;

bool left_to_libc(const pthread_cond_t* condition) {
  return mode == Mode::parallel || condition->__data.__wrefs & kSharedBit;
}

clockid_t clock_of(const pthread_cond_t* condition) {
  return condition->__data.__wrefs & kMonotonicBit ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// A signal has ended the waiting, and its handler runs without the mutex, as natively. To wait on
// would miss notifications that come meanwhile, so the wait returns: a spurious wakeup.
int handle_signals_unlocked(Thread* thread, uint32_t site, pthread_mutex_t* mutex) {
  before_step(thread);
  const int unlocked = release_mutex(thread, mutex, site);
  if (signal_waits(thread)) handle_signals(thread);
  return unlocked == 0 ? lock_mutex(thread, site, mutex) : unlocked;
}

template <class RealWait>
int wait(Thread* thread, uint32_t site, pthread_cond_t* condition, pthread_mutex_t* mutex,
         uint64_t deadline, RealWait real_wait) {
  obey_cancellation(thread);
  before_step(thread);
  const uint64_t mutex_word = reinterpret_cast<uint64_t>(mutex);
  const uint64_t wake_word = mutex_word | limit_of(deadline);
  if (left_to_libc(condition)) {
    put(thread, Op::WaitBegin, site, condition, mutex_word);
    set_owner(mutex, nullptr);
    if (mode == Mode::controlled) {
      wake(Wait::lock, mutex);
      leave_control(thread);
    }
    const auto woke = [=](uint64_t ticket) {
      before_step(thread);
      set_owner(mutex, thread);
      put(thread, Op::WaitEnd, site, condition, wake_word, ticket);
    };
    const int result = call_cancellable(thread, real_wait, [=] { woke(recording::kNoTicket); });
    if (mode == Mode::controlled) enter_control(thread, recording::Why::blocking_call);
    woke(result == ETIMEDOUT ? recording::kNoTicket : 0);
    return result;
  }
  check_wait(thread, site, condition, mutex);
  const int unlocked = real.pthread_mutex_unlock(mutex);
  if (unlocked != 0) return unlocked;
  if (is_free(mutex)) {
    set_owner(mutex, nullptr);
    wake(Wait::lock, mutex);
  }
  put(thread, Op::WaitBegin, site, condition, mutex_word);
  thread->interruptible = true;
  suspend(thread, Wait::condition, condition, deadline);
  thread->interruptible = false;
  const Woken woken = thread->woken;
  const uint64_t ticket = woken == Woken::notified ? thread->ticket : recording::kNoTicket;
  const int locked = relock_after_wait(thread, mutex);
  set_owner(mutex, thread);
  put(thread, Op::WaitEnd, site, condition, wake_word, ticket);
  if (woken == Woken::interrupted && locked == 0)
    return handle_signals_unlocked(thread, site, mutex);
  // Cleanup handlers find the mutex locked.
  if (woken == Woken::cancelled) obey_cancellation(thread);
  if (locked != 0) return locked;
  return woken == Woken::timed_out ? ETIMEDOUT : 0;
}

template <class RealNotify>
int notify(Thread* thread, uint32_t site, pthread_cond_t* condition, Op op, uint32_t count,
           RealNotify real_notify) {
  before_step(thread);
  if (left_to_libc(condition)) {
    put(thread, op, site, condition, 0, uint64_t{0});
    return real_notify();
  }
  const bool somebody = waiting(Wait::condition, condition) > 0;
  const uint64_t ticket = somebody ? new_ticket() : recording::kNoTicket;
  wake(Wait::condition, condition, count, ticket);
  put(thread, op, site, condition, 0, ticket);
  return 0;
}

}  // namespace

int wait_for_condition(Thread* thread, uint32_t site, pthread_cond_t* condition,
                       pthread_mutex_t* mutex) {
  return wait(thread, site, condition, mutex, kForever,
              [=] { return real.pthread_cond_wait(condition, mutex); });
}

int wait_for_condition_until(Thread* thread, uint32_t site, pthread_cond_t* condition,
                             pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (!can_wait_until(clock, until)) return EINVAL;
  return wait(thread, site, condition, mutex, virtual_deadline(clock, until),
              [=] { return real.pthread_cond_clockwait(condition, mutex, clock, until); });
}

int notify_one(Thread* thread, uint32_t site, pthread_cond_t* condition) {
  return notify(thread, site, condition, Op::NotifyOne, 1,
                [=] { return real.pthread_cond_signal(condition); });
}

int notify_all(Thread* thread, uint32_t site, pthread_cond_t* condition) {
  return notify(thread, site, condition, Op::NotifyAll, ~uint32_t{0},
                [=] { return real.pthread_cond_broadcast(condition); });
}

}  // namespace foretell::rt

using namespace foretell::rt;

namespace {

int waited(const Call& call, const void* caller, const pthread_mutex_t* mutex, int result) {
  if (result == 0 || result == ETIMEDOUT) order_unseen_section(call, caller, mutex);
  return result;
}

}  // namespace

FORETELL_INTERCEPT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_wait(condition, mutex);
  return waited(call, __builtin_return_address(0), mutex,
                wait_for_condition(call.thread, call.site, condition, mutex));
}

FORETELL_INTERCEPT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_timedwait(condition, mutex, until);
  return waited(call, __builtin_return_address(0), mutex,
                wait_for_condition_until(call.thread, call.site, condition, mutex,
                                         clock_of(condition), until));
}

FORETELL_INTERCEPT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              clockid_t clock, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_clockwait(condition, mutex, clock, until);
  return waited(call, __builtin_return_address(0), mutex,
                wait_for_condition_until(call.thread, call.site, condition, mutex, clock, until));
}

FORETELL_INTERCEPT int pthread_cond_signal(pthread_cond_t* condition) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_signal(condition);
  return notify_one(call.thread, call.site, condition);
}

FORETELL_INTERCEPT int pthread_cond_broadcast(pthread_cond_t* condition) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_broadcast(condition);
  return notify_all(call.thread, call.site, condition);
}

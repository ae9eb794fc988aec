// Condition variables.
//
// In controlled mode the real condition is never touched: who waits is in the scheduler, and each
// notify carries a ticket that the wake it causes repeats. Waiters wake in the order in which they
// began to wait.
#include <errno.h>

#include "../real.h"
#include "../time.h"
#include "locking.h"

namespace foretell::rt {
namespace {

template <class RealWait>
int wait(Thread* thread, uint32_t site, pthread_cond_t* condition, pthread_mutex_t* mutex,
         uint64_t deadline, RealWait real_wait) {
  before_step(thread);
  const uint64_t mutex_word = reinterpret_cast<uint64_t>(mutex);
  if (mode == Mode::parallel) {
    put(thread, Op::WaitBegin, site, condition, mutex_word);
    const int result = real_wait();
    before_step(thread);
    put(thread, Op::WaitEnd, site, condition, mutex_word,
        result == ETIMEDOUT ? recording::kNoTicket : 0);
    return result;
  }
  const int unlocked = real.pthread_mutex_unlock(mutex);
  if (unlocked != 0) return unlocked;
  set_owner(mutex, nullptr);
  wake(Wait::lock, mutex);
  put(thread, Op::WaitBegin, site, condition, mutex_word);
  const Woken woken = block(thread, Wait::condition, condition, deadline);
  const uint64_t ticket = woken == Woken::notified ? thread->ticket : recording::kNoTicket;
  const int locked = acquire_mutex(thread, mutex, kForever);
  set_owner(mutex, thread);
  put(thread, Op::WaitEnd, site, condition, mutex_word, ticket);
  if (locked != 0) return locked;
  return woken == Woken::timed_out ? ETIMEDOUT : 0;
}

template <class RealNotify>
int notify(Thread* thread, uint32_t site, pthread_cond_t* condition, Op op, uint32_t count,
           RealNotify real_notify) {
  before_step(thread);
  if (mode == Mode::parallel) {
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
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_wait(condition, mutex);
  return wait(call.thread, call.site, condition, mutex, kForever,
              [=] { return real.pthread_cond_wait(condition, mutex); });
}

FORETELL_INTERCEPT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              const timespec* until) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_timedwait(condition, mutex, until);
  // The clock of the condition's attributes: bit 1 of its first flags word in glibc.
  const clockid_t clock = condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return wait(call.thread, call.site, condition, mutex, virtual_deadline(clock, until),
              [=] { return real.pthread_cond_timedwait(condition, mutex, until); });
}

FORETELL_INTERCEPT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              clockid_t clock, const timespec* until) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_clockwait(condition, mutex, clock, until);
  return wait(call.thread, call.site, condition, mutex, virtual_deadline(clock, until),
              [=] { return real.pthread_cond_clockwait(condition, mutex, clock, until); });
}

FORETELL_INTERCEPT int pthread_cond_signal(pthread_cond_t* condition) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_signal(condition);
  return notify(call.thread, call.site, condition, Op::NotifyOne, 1,
                [=] { return real.pthread_cond_signal(condition); });
}

FORETELL_INTERCEPT int pthread_cond_broadcast(pthread_cond_t* condition) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cond_broadcast(condition);
  return notify(call.thread, call.site, condition, Op::NotifyAll, ~uint32_t{0},
                [=] { return real.pthread_cond_broadcast(condition); });
}

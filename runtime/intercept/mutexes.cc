// Mutexes of every type.
//
// The real mutex stays the truth: it is tried, and only when that fails does the scheduler block
// the thread. So robust, error-checking and recursive mutexes behave as libc makes them, and code
// that was not compiled with Foretell may use the same mutex.
#include <errno.h>

#include "../real.h"
#include "../time.h"
#include "locking.h"

namespace foretell::rt {
namespace {

constexpr int kKindMask = 3;
constexpr int kSharedBit = 128;  // between processes: others may unlock it where we do not see it

int kind_of(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind & kKindMask;
}
bool shared_between_processes(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind & kSharedBit;
}

bool holds_it_already(Thread* thread, const pthread_mutex_t* mutex) {
  return kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK && mutex->__data.__owner == static_cast<int>(thread->os_id);
}

}  // namespace

int acquire_mutex(Thread* thread, pthread_mutex_t* mutex, uint64_t deadline) {
  for (;;) {
    before_step(thread);
    const int result = real.pthread_mutex_trylock(mutex);
    if (result != EBUSY) return result;
    if (block(thread, Wait::lock, mutex, deadline) == Woken::timed_out) {
      before_step(thread);
      const int last = real.pthread_mutex_trylock(mutex);
      return last == EBUSY ? ETIMEDOUT : last;
    }
  }
}

void mutex_acquired(Thread* thread, pthread_mutex_t* mutex, uint32_t site) {
  set_owner(mutex, thread);
  put(thread, Op::Acquire, site, mutex);
}

namespace {

template <class RealLock>
int lock(Thread* thread, uint32_t site, pthread_mutex_t* mutex, uint64_t deadline,
         RealLock real_lock) {
  before_step(thread);
  put(thread, Op::Request, site, mutex);
  int result;
  if (mode == Mode::parallel || holds_it_already(thread, mutex)) {
    result = real_lock();
    before_step(thread);
  } else if (shared_between_processes(mutex)) {
    before_step(thread);
    result = real.pthread_mutex_trylock(mutex);
    if (result == EBUSY) {
      leave_control(thread);
      result = real_lock();
      enter_control(thread, recording::Why::blocking_call);
      before_step(thread);
    }
  } else {
    result = acquire_mutex(thread, mutex, deadline);
  }
  if (result == 0 || result == EOWNERDEAD) {
    mutex_acquired(thread, mutex, site);
  } else if (result == ETIMEDOUT) {
    put(thread, Op::TryFail, site, mutex);
  }
  return result;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_lock(mutex);
  return lock(call.thread, call.site, mutex, kForever,
              [=] { return real.pthread_mutex_lock(mutex); });
}

FORETELL_INTERCEPT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_timedlock(mutex, until);
  return lock(call.thread, call.site, mutex, virtual_deadline(CLOCK_REALTIME, until),
              [=] { return real.pthread_mutex_timedlock(mutex, until); });
}

FORETELL_INTERCEPT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                               const timespec* until) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_clocklock(mutex, clock, until);
  return lock(call.thread, call.site, mutex, virtual_deadline(clock, until),
              [=] { return real.pthread_mutex_clocklock(mutex, clock, until); });
}

FORETELL_INTERCEPT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_trylock(mutex);
  before_step(call.thread);
  const int result = real.pthread_mutex_trylock(mutex);
  if (result == 0 || result == EOWNERDEAD) {
    mutex_acquired(call.thread, mutex, call.site);
  } else if (result == EBUSY) {
    put(call.thread, Op::TryFail, call.site, mutex);
  }
  return result;
}

FORETELL_INTERCEPT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_mutex_unlock(mutex);
  before_step(call.thread);
  return release_mutex(call.thread, mutex, call.site);
}

namespace foretell::rt {

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
  const int result = real.pthread_mutex_unlock(mutex);
  if (result != 0) return result;
  // A recursive mutex is free only after as many unlocks as locks.
  if (mutex->__data.__owner == 0) {
    set_owner(mutex, nullptr);
    wake(Wait::lock, mutex);
  }
  put(thread, Op::Release, site, mutex);
  return 0;
}

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// syscall(): futexes, on which libstdc++ builds atomic waits, semaphores, latches and futures.
//
// In controlled mode waiting on a futex is waiting in the scheduler. There is no record of it: what
// orders the threads are the atomic accesses to the word; unseen.h has what is done about libraries
// whose accesses are not recorded. Waking more threads than asked for is
// always allowed, so the rare operations wake everybody. All other system calls pass through.
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/start.h"
#include "runtime/intercept/unseen.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/virtual_time.h"

namespace foretell::rt {
namespace {

struct Futex {
  uint32_t* word;
  int operation;
  uint32_t value;
  const timespec* timeout;  // or a number, for some operations
  uint32_t* second;
  uint32_t mask;
};

long fail(int error) {
  errno = error;
  return -1;
}

bool changed(Thread* thread) {
  return __atomic_load_n(static_cast<const uint32_t*>(thread->wait_object), __ATOMIC_ACQUIRE) !=
         static_cast<uint32_t>(thread->ticket);
}

long wait_on(Thread* thread, const Futex& futex) {
  if (__atomic_load_n(futex.word, __ATOMIC_ACQUIRE) != futex.value) return fail(EAGAIN);
  uint64_t deadline = kForever;
  if (futex.timeout) {
    if (futex.timeout->tv_nsec < 0 || futex.timeout->tv_nsec >= 1'000'000'000) return fail(EINVAL);
    const bool absolute = (futex.operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    const clockid_t clock =
        futex.operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    deadline =
        absolute ? virtual_deadline(clock, futex.timeout) : deadline_in(to_ns(*futex.timeout));
  }
  // A child process may share the word and wake us where we do not see it.
  if (!(futex.operation & FUTEX_PRIVATE_FLAG) && header->forks > 0) {
    thread->ticket = futex.value;
    thread->ready = changed;
    thread->ready_outside = true;
  }
  switch (block(thread, Wait::futex, futex.word, deadline)) {
    case Woken::timed_out:
      return fail(ETIMEDOUT);
    case Woken::interrupted:
      return fail(EINTR);
    case Woken::notified:
    case Woken::cancelled:
      return 0;
  }
  return 0;
}

long wake_some(const Futex& futex, long number) {
  const uint32_t woken = wake(Wait::futex, futex.word, futex.value);
  // Threads that are not ours, and other processes.
  if (woken >= futex.value) return woken;
  const long others = real.syscall(number, futex.word, futex.operation, futex.value - woken,
                                   nullptr, nullptr, futex.mask);
  return others < 0 ? static_cast<long>(woken) : others + woken;
}

long control_futex(Thread* thread, long number, const Futex& futex) {
  switch (futex.operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return wait_on(thread, futex);
    case FUTEX_WAIT_BITSET:
      return futex.mask == 0 ? fail(EINVAL) : wait_on(thread, futex);
    case FUTEX_WAKE:
      return wake_some(futex, number);
    case FUTEX_WAKE_BITSET:
      if (futex.mask == 0) return fail(EINVAL);
      if (futex.mask == FUTEX_BITSET_MATCH_ANY) return wake_some(futex, number);
      return wake(Wait::futex, futex.word);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      if ((futex.operation & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE &&
          __atomic_load_n(futex.word, __ATOMIC_ACQUIRE) != futex.mask) {
        return fail(EAGAIN);
      }
      return wake(Wait::futex, futex.word);
    case FUTEX_WAKE_OP: {
      const long result = real.syscall(number, futex.word, futex.operation, futex.value,
                                       futex.timeout, futex.second, futex.mask);
      if (result < 0) return result;
      return result + wake(Wait::futex, futex.word) + wake(Wait::futex, futex.second);
    }
    default:
      return call_outside(thread, [&] {
        return real.syscall(number, futex.word, futex.operation, futex.value, futex.timeout,
                            futex.second, futex.mask);
      });
  }
}

// Before the real functions are known.
long call_directly(long number, const long (&a)[6]) {
  const long result = os::call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return result < 0 && result > -4096 ? fail(static_cast<int>(-result)) : result;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

namespace {

bool wakes(int operation) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      return true;
    default:
      return false;
  }
}

long controlled_futex(const Call& call, const void* caller, long number, const Futex& futex) {
  if (wakes(futex.operation)) {
    note_unseen_wake(call, caller, futex.word);
    return control_futex(call.thread, number, futex);
  }
  const long result = control_futex(call.thread, number, futex);
  const int error = errno;
  // It has been woken, or what it waited for was there before.
  if (result == 0 || error == EAGAIN) note_unseen_waking(call, caller, futex.word);
  errno = error;
  return result;
}

// Makes a process with a memory of its own, without libc's handlers of fork.
bool forks(long number, const long (&a)[6]) {
  if (number == SYS_fork) return true;
  if (number == SYS_clone) return !(a[0] & CLONE_VM);
  return number == SYS_clone3 && !(*reinterpret_cast<const uint64_t*>(a[0]) & CLONE_VM);
}

}  // namespace

FORETELL_INTERCEPT long syscall(long number, ...) {
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (long& argument : a) argument = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_futex || number == SYS_sched_yield) {
    Call call(__builtin_return_address(0));
    if (call && mode == Mode::controlled) {
      if (number == SYS_sched_yield) {
        yield(call.thread);
        return 0;
      }
      return controlled_futex(call, __builtin_return_address(0), number,
                              {reinterpret_cast<uint32_t*>(a[0]), static_cast<int>(a[1]),
                               static_cast<uint32_t>(a[2]), reinterpret_cast<const timespec*>(a[3]),
                               reinterpret_cast<uint32_t*>(a[4]), static_cast<uint32_t>(a[5])});
    }
  }
  if (!real.syscall) return call_directly(number, a);
  if (active && forks(number, a)) {
    const long child = real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (child > 0) note_fork_in_parent();
    if (child == 0) begin_forked_child();
    return child;
  }
  return real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// SPDX-License-Identifier: Apache-2.0

// Clocks and sleeping: virtual time in controlled mode.
//
// Clocks of processor time are real ones; what a program does with them cannot be repeated.
#include <errno.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/virtual_time.h"

namespace foretell::rt {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

bool is_virtual(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI:
      return true;
    default:
      return false;
  }
}

// Who looks at the clock again and again waits for somebody.
timespec look_at(Thread* thread, clockid_t clock) {
  constexpr uint32_t kOften = 64;
  if (++thread->clock_calls % kOften == 0) yield(thread);
  return virtual_time(clock);
}

bool controlled(const Call& call) {
  return call && mode == Mode::controlled;
}

// Returns what is left, 0 if it slept to the end.
uint64_t sleep_until(Thread* thread, uint64_t deadline) {
  obey_cancellation(thread);
  const Woken woken = block_interruptibly(thread, Wait::sleep, thread, deadline);
  if (woken == Woken::cancelled) obey_cancellation(thread);
  if (woken == Woken::timed_out) return 0;
  const uint64_t now = virtual_now();
  return deadline > now ? deadline - now : 0;
}

uint64_t sleep_for(Thread* thread, uint64_t nanoseconds) {
  return sleep_until(thread, deadline_in(nanoseconds));
}

bool is_valid(const timespec* time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < static_cast<long>(kSecond);
}

// In parallel mode the real call; cancellation may end the thread in it.
template <class RealSleep>
auto sleep_really(const Call& call, RealSleep real_sleep) {
  return call ? call_cancellable(call.thread, real_sleep, [] {}) : real_sleep();
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int clock_gettime(clockid_t clock, timespec* now) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || !is_virtual(clock)) return real.clock_gettime(clock, now);
  *now = look_at(call.thread, clock);
  return 0;
}

FORETELL_INTERCEPT int gettimeofday(timeval* now, void* zone) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) return real.gettimeofday(now, zone);
  const timespec time = look_at(call.thread, CLOCK_REALTIME);
  *now = {time.tv_sec, time.tv_nsec / 1000};
  if (zone) *static_cast<struct timezone*>(zone) = {};
  return 0;
}

FORETELL_INTERCEPT time_t time(time_t* result) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) return real.time(result);
  const time_t now = look_at(call.thread, CLOCK_REALTIME).tv_sec;
  if (result) *result = now;
  return now;
}

FORETELL_INTERCEPT int timespec_get(timespec* now, int base) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || base != TIME_UTC) return real.timespec_get(now, base);
  *now = look_at(call.thread, CLOCK_REALTIME);
  return base;
}

FORETELL_INTERCEPT int clock_nanosleep(clockid_t clock, int flags, const timespec* request,
                                       timespec* remain) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || !is_virtual(clock) || !is_valid(request)) {
    return sleep_really(call, [=] { return real.clock_nanosleep(clock, flags, request, remain); });
  }
  const bool absolute = flags & TIMER_ABSTIME;
  const uint64_t left = absolute ? sleep_until(call.thread, virtual_deadline(clock, request))
                                 : sleep_for(call.thread, to_ns(*request));
  if (left == 0) return 0;
  if (remain && !absolute) *remain = to_timespec(left);
  return EINTR;
}

FORETELL_INTERCEPT int nanosleep(const timespec* request, timespec* remain) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || !is_valid(request)) {
    return sleep_really(call, [=] { return real.nanosleep(request, remain); });
  }
  const uint64_t left = sleep_for(call.thread, to_ns(*request));
  if (left == 0) return 0;
  if (remain) *remain = to_timespec(left);
  errno = EINTR;
  return -1;
}

FORETELL_INTERCEPT int usleep(useconds_t microseconds) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) return sleep_really(call, [=] { return real.usleep(microseconds); });
  if (sleep_for(call.thread, uint64_t{microseconds} * 1000) == 0) return 0;
  errno = EINTR;
  return -1;
}

FORETELL_INTERCEPT unsigned sleep(unsigned seconds) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) return sleep_really(call, [=] { return real.sleep(seconds); });
  const uint64_t left = sleep_for(call.thread, seconds * kSecond);
  return static_cast<unsigned>((left + kSecond / 2) / kSecond);
}

FORETELL_INTERCEPT int thrd_sleep(const timespec* request, timespec* remain) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || !is_valid(request)) {
    return sleep_really(call, [=] { return real.thrd_sleep(request, remain); });
  }
  const uint64_t left = sleep_for(call.thread, to_ns(*request));
  if (left == 0) return 0;
  if (remain) *remain = to_timespec(left);
  return -1;
}

FORETELL_INTERCEPT int sched_yield() {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) return real.sched_yield();
  yield(call.thread);
  return 0;
}

FORETELL_INTERCEPT void thrd_yield() {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) return real.thrd_yield();
  yield(call.thread);
}

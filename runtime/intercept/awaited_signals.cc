// SPDX-License-Identifier: Apache-2.0

// Waiting for signals.
#include "runtime/intercept/channels.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/waiting.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/schedule/virtual_time.h"

namespace foretell::rt {
namespace {

// Nothing but a signal ends this.
Question never{[](Question*) { return false; }};

int wait_for_signal(Thread* thread) {
  obey_cancellation(thread);
  for (;;) {
    thread->restarts = false;
    Woken woken = Woken::interrupted;
    if (!signal_waits(thread)) {
      thread->ready = [](Thread*) { return false; };
      thread->ready_outside = true;
      woken = block_interruptibly(thread, Wait::descriptor, &never);
    } else {
      handle_signals(thread);
    }
    if (woken == Woken::cancelled) obey_cancellation(thread);
    if (woken == Woken::interrupted) return fail(EINTR);
  }
}

// Signals sent to the whole process are pending for everybody. One sent to this thread alone is
// pending here and nowhere else, so who sends it wakes us (signals.cc).
bool signal_pends(Thread* thread) {
  uint64_t pending = 0;
  os::call(SYS_rt_sigpending, os::word(&pending), sizeof pending);
  return (pending & thread->signals.awaited) != 0;
}

int take_signal(const Call& call, const sigset_t* set, siginfo_t* info, uint64_t deadline) {
  Thread* thread = call.thread;
  obey_cancellation(thread);
  Woken woken = Woken::notified;
  for (;;) {
    before_step(thread, false);
    const timespec none{};
    const int taken = real.sigtimedwait(set, info, &none);
    if (taken > 0) note_signal_taken(thread);
    if (taken > 0 || errno != EAGAIN) return taken;
    if (woken == Woken::timed_out) return fail(EAGAIN);
    if (woken == Woken::interrupted && !thread->restarts) return fail(EINTR);
    __builtin_memcpy(&thread->signals.awaited, set, sizeof thread->signals.awaited);
    thread->ready = signal_pends;
    thread->ready_outside = true;
    woken = block_interruptibly(thread, Wait::descriptor, thread, deadline);
    thread->signals.awaited = 0;
    if (woken == Woken::cancelled) obey_cancellation(thread);
  }
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pause() {
  Call call(__builtin_return_address(0));
  if (controlled(call)) return wait_for_signal(call.thread);
  return call ? call_cancellable(call.thread, [] { return real.pause(); }, [] {}) : real.pause();
}

FORETELL_INTERCEPT int sigsuspend(const sigset_t* mask) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) {
    const auto really = [=] { return real.sigsuspend(mask); };
    return call ? call_cancellable(call.thread, really, [] {}) : really();
  }
  Thread::Signals& s = call.thread->signals;
  const uint64_t before = s.blocked;
  uint64_t wanted;
  __builtin_memcpy(&wanted, mask, sizeof wanted);
  s.blocked = wanted;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&wanted), 0, sizeof wanted);
  if (s.sent & ~wanted) s.waiting = true;
  const int result = wait_for_signal(call.thread);
  s.blocked = before;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&before), 0, sizeof before);
  return result;
}

namespace {

// Outside controlled mode. `succeeded` tells from the result whether there was a signal.
template <class Real, class Succeeded>
int take_signal_in_parallel(const Call& call, Real really, Succeeded succeeded) {
  if (!call) return really();
  const int result = call_cancellable(call.thread, really, [] {});
  if (succeeded(result)) note_signal_taken(call.thread);
  return result;
}

bool is_signal(int result) {
  return result > 0;
}

}  // namespace

FORETELL_INTERCEPT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  Call call(__builtin_return_address(0));
  if (controlled(call)) return take_signal(call, set, info, kForever);
  return take_signal_in_parallel(call, [=] { return real.sigwaitinfo(set, info); }, is_signal);
}

FORETELL_INTERCEPT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  Call call(__builtin_return_address(0));
  if (controlled(call)) {
    return take_signal(call, set, info, timeout ? deadline_in(to_ns(*timeout)) : kForever);
  }
  return take_signal_in_parallel(
      call, [=] { return real.sigtimedwait(set, info, timeout); }, is_signal);
}

FORETELL_INTERCEPT int sigwait(const sigset_t* set, int* number) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) {
    return take_signal_in_parallel(
        call, [=] { return real.sigwait(set, number); }, [](int error) { return error == 0; });
  }
  for (;;) {
    const int taken = take_signal(call, set, nullptr, kForever);
    if (taken > 0) {
      *number = taken;
      return 0;
    }
    if (errno != EINTR) return errno;
  }
}

// Cancellation of threads.
//
// It stays deferred, whatever the program asks for: a thread must not vanish while it holds the
// token. In controlled mode a blocked thread is woken and calls libc's own test for cancellation;
// around real calls that block, a cleanup handler brings the thread back first.
#pragma once

#include <errno.h>

#include "../scheduler.h"
#include "../signals.h"

namespace foretell::rt {

// Calls `blocking`, in which libc may cancel the thread. If that happens, `on_cancel` runs inside
// the runtime and with the token, before the program's own cleanup handlers.
template <class Blocking, class OnCancel>
auto call_cancellable(Thread* thread, Blocking blocking, OnCancel on_cancel) {
  struct Context {
    Thread* thread;
    OnCancel* on_cancel;
  } context{thread, &on_cancel};
  const auto cancelled = [](void* argument) {
    auto* at = static_cast<Context*>(argument);
    at->thread->signals.outside = false;
    if (at->thread->run == Run::external) {
      enter_control(at->thread, recording::Why::blocking_call);
    }
    (*at->on_cancel)();
    at->thread->inside = 0;
  };
  decltype(blocking()) result;
  pthread_cleanup_push(cancelled, &context);
  // Handlers of signals run at once from here; those that came before run first.
  if (signal_waits(thread)) handle_signals(thread);
  thread->signals.outside = true;
  result = blocking();
  thread->signals.outside = false;
  pthread_cleanup_pop(0);
  return result;
}

// A real call that may block for any time. Errors are left in errno.
template <class Blocking>
auto call_outside(Thread* thread, Blocking blocking) {
  obey_cancellation(thread);
  if (mode == Mode::controlled) leave_control(thread);
  const auto result = call_cancellable(thread, blocking, [] {});
  if (mode == Mode::controlled) {
    const int error = errno;
    enter_control(thread, recording::Why::blocking_call);
    errno = error;
  }
  return result;
}

}  // namespace foretell::rt

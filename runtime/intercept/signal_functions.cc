// SPDX-License-Identifier: Apache-2.0

// The functions that catch, send and block signals (signals.h says what becomes of them).
#include "runtime/intercept/attach.h"
#include "runtime/intercept/call.h"
#include "runtime/intercept/channels.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"

using namespace foretell::rt;

FORETELL_INTERCEPT int sigaction(int signal, const struct sigaction* action,
                                 struct sigaction* old) {
  Call call(__builtin_return_address(0));
  if (!active || !can_be_caught(signal)) return real.sigaction(signal, action, old);
  return set_action(signal, action, old);
}

FORETELL_INTERCEPT sighandler_t signal(int number, sighandler_t handler) {
  Call call(__builtin_return_address(0));
  if (!active || !can_be_caught(number)) return real.signal(number, handler);
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  struct sigaction old;
  set_action(number, &action, &old);
  return old.sa_handler;
}

FORETELL_INTERCEPT int pthread_kill(pthread_t handle, int number) {
  Call call(__builtin_return_address(0));
  Thread* target = call ? living_thread(handle) : nullptr;
  if (!target) return real.pthread_kill(handle, number);
  note_signal_sent(call.thread);
  const int result =
      number != 0 && send_signal(target, number) ? 0 : real.pthread_kill(handle, number);
  if (signal_waits(call.thread)) handle_signals(call.thread);
  return result;
}

FORETELL_INTERCEPT int raise(int number) {
  Call call(__builtin_return_address(0));
  if (!call) return real.raise(number);
  const int result = send_signal(call.thread, number) ? 0 : real.raise(number);
  if (signal_waits(call.thread)) handle_signals(call.thread);
  return result;
}

FORETELL_INTERCEPT int kill(pid_t pid, int number) {
  Call call(__builtin_return_address(0));
  if (!call) return real.kill(pid, number);
  note_signal_sent(call.thread);
  if (mode == Mode::controlled && pid == static_cast<pid_t>(os::process_id())) {
    // The kernel may choose any thread that does not block it. We choose the caller, then others
    // in order of their creation.
    bool sent = number != 0 && send_signal(call.thread, number);
    for (Thread* t = all_threads(); t && !sent && number != 0; t = t->next) {
      if (t->run != Run::ended && t->slots) sent = send_signal(t, number);
    }
    if (sent) {
      if (signal_waits(call.thread)) handle_signals(call.thread);
      return 0;
    }
  }
  const int result = real.kill(pid, number);
  if (signal_waits(call.thread)) handle_signals(call.thread);
  return result;
}

namespace {

template <class RealMask>
int set_mask(RealMask real_mask) {
  Call call(nullptr);
  const int result = real_mask();
  if (!call || result != 0) return result;
  uint64_t mask = 0;  // the kernel's sigset
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, 0, os::word(&mask), sizeof mask);
  call.thread->signals.blocked = mask;
  if (call.thread->signals.sent & ~mask) call.thread->signals.waiting = true;
  if (signal_waits(call.thread)) handle_signals(call.thread);
  return result;
}

}  // namespace

FORETELL_INTERCEPT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  initialize();
  return set_mask([=] { return real.pthread_sigmask(how, set, old); });
}

FORETELL_INTERCEPT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  initialize();
  return set_mask([=] { return real.sigprocmask(how, set, old); });
}

#define FORETELL_JUMP(name)                                              \
  FORETELL_INTERCEPT void name(__jmp_buf_tag* where, int value) {        \
    initialize();                                                        \
    if (active && attached_thread) leave_fault_handler(attached_thread); \
    real.name(where, value);                                             \
    __builtin_unreachable();                                             \
  }
FORETELL_JUMP(longjmp)
FORETELL_JUMP(_longjmp)
FORETELL_JUMP(siglongjmp)
FORETELL_JUMP(__longjmp_chk)

FORETELL_INTERCEPT int sigqueue(pid_t pid, int number, sigval value) {
  if (Call call(__builtin_return_address(0)); call) note_signal_sent(call.thread);
  return real.sigqueue(pid, number, value);
}

FORETELL_INTERCEPT int pthread_sigqueue(pthread_t handle, int number, sigval value) {
  if (Call call(__builtin_return_address(0)); call) note_signal_sent(call.thread);
  return real.pthread_sigqueue(handle, number, value);
}

namespace {

void arm_timer(bool armed) {
  timers_armed |= armed;
  Call call(nullptr);
  if (call && armed) note_signal_sent(call.thread);
}

}  // namespace

FORETELL_INTERCEPT unsigned alarm(unsigned seconds) {
  initialize();
  arm_timer(seconds != 0);
  return real.alarm(seconds);
}

FORETELL_INTERCEPT unsigned ualarm(unsigned microseconds, unsigned interval) {
  initialize();
  arm_timer(microseconds != 0);
  return real.ualarm(microseconds, interval);
}

FORETELL_INTERCEPT int setitimer(__itimer_which_t which, const itimerval* value, itimerval* old) {
  initialize();
  arm_timer(value->it_value.tv_sec != 0 || value->it_value.tv_usec != 0);
  return real.setitimer(which, value, old);
}

FORETELL_INTERCEPT int timer_settime(timer_t timer, int flags, const itimerspec* value,
                                     itimerspec* old) {
  initialize();
  arm_timer(value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0);
  return real.timer_settime(timer, flags, value, old);
}

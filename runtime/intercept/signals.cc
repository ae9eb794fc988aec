// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/signals.h"

#include <errno.h>
#include <ucontext.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/channels.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/loaded_object.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/filter.h"
#include "runtime/threads/records.h"
#include "runtime/watch/watcher.h"

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;
extern "C" __attribute__((visibility("hidden"))) const char _end;

namespace foretell::rt {

using recording::State;

namespace {

using Mask = uint64_t;  // the kernel's sigset
constexpr int kSignals = 65;

os::Lock actions_lock_;
struct sigaction actions_[kSignals];  // what the program asked for
bool known_[kSignals];

constexpr size_t kRanges = 256;
LoadedObject ranges_[kRanges];
size_t range_count_ = 0;
bool ranges_overflow_ = false;

Mask bit(int signal) {
  return Mask{1} << (signal - 1);
}

Mask mask_of(const sigset_t& set) {
  Mask mask;
  __builtin_memcpy(&mask, &set, sizeof mask);
  return mask;
}

Mask change_mask(int how, Mask mask) {
  Mask before = 0;
  os::call(SYS_rt_sigprocmask, how, os::word(&mask), os::word(&before), sizeof mask);
  return before;
}

bool is_handler(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool is_fault(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT:
      return true;
    default:
      return false;
  }
}

// Ends the process unless it has a handler; a list of contended memory is to be complete by then.
bool is_request_to_end(int signal) {
  return watch::watching_on && (signal == SIGTERM || signal == SIGINT || signal == SIGHUP);
}

// By default they end the process, and somebody wants to know of it before.
bool is_deadly(int signal) {
  return is_fault(signal) || is_request_to_end(signal);
}

bool inside_a_step(const void* context) {
  const auto* pc = reinterpret_cast<const void*>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  return is_instrumented(pc);
}

// In the state that the program's handler expects: its mask, its errno.
bool run_handler(int signal, siginfo_t* info, void* context, Mask before) {
  struct sigaction action;
  {
    // Only the holder of the lock can be interrupted here, and it has masked signals.
    action = actions_[signal];
    if (!is_handler(action)) return false;
    if (action.sa_flags & SA_RESETHAND) {
      actions_[signal].sa_handler = SIG_DFL;
      struct sigaction fallback = {};
      real.sigaction(signal, &fallback, nullptr);
    }
  }
  const int error = errno;
  const Mask own = action.sa_flags & SA_NODEFER ? 0 : bit(signal);
  change_mask(SIG_SETMASK, before | mask_of(action.sa_mask) | own);
  if (action.sa_flags & SA_SIGINFO) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  change_mask(SIG_SETMASK, before);
  errno = error;
  return !(action.sa_flags & SA_RESTART);
}

void die_of(int signal, const siginfo_t* info) {
  if (in_recorded_process()) {
    header->state = State::crashed;
    header->status = static_cast<uint32_t>(signal);
    count_repeated_reads();
    write_found();
  }
  struct sigaction fallback = {};
  real.sigaction(signal, &fallback, nullptr);
  // A fault happens again when we return; what was sent must be sent again.
  if (info->si_code <= 0) {
    os::call(SYS_tgkill, os::process_id(), os::thread_id(), signal);
  }
}

void enter_fault_handler(Thread* thread) {
  Thread::Signals& s = thread->signals;
  if (s.faults++ > 0) return;
  s.held_cursor = thread->slots->cursor;
  s.held_fuel = thread->slots->fuel;
  thread->inside++;
  // Not off_stream, which counts steps: the one that faults is half done.
  thread->slots->fuel = 0;
}

void handle_fault(Thread* thread, int signal, siginfo_t* info, void* context, Mask before) {
  enter_fault_handler(thread);
  run_handler(signal, info, context, before);
  if (thread->signals.faults > 0) leave_fault_handler(thread);
}

void note_signal(Thread::Signals& signals) {
  signals.waiting = true;
  signal_came = true;
}

void keep_for_later(Thread* thread, const siginfo_t* info) {
  Thread::Signals& s = thread->signals;
  const uint32_t next = (s.last + 1) % Thread::Signals::kQueue;
  // More than that at once are merged, as the kernel does with all but real-time signals.
  if (next == s.first) return;
  os::copy(&s.queue[s.last], info, sizeof *info);
  __atomic_store_n(&s.last, next, __ATOMIC_RELEASE);
  note_signal(s);
}

// All signals are masked while this runs.
void on_signal(int signal, siginfo_t* info, void* context) {
  const Mask before = mask_of(static_cast<ucontext_t*>(context)->uc_sigmask);
  if (!is_handler(actions_[signal])) {
    if (actions_[signal].sa_handler == SIG_DFL) die_of(signal, info);
    return;
  }
  Thread* thread = active ? attached_thread : nullptr;
  if (!thread) {
    run_handler(signal, info, context, before);
  } else if (is_fault(signal) && (info->si_code > 0 || signal == SIGABRT)) {
    handle_fault(thread, signal, info, context, before);
  } else if (thread->signals.outside) {
    thread->signals.outside = false;
    const int error = errno;
    if (mode == Mode::controlled) enter_control(thread, recording::Why::blocking_call);
    note_signal_taken(thread);
    leave_runtime(thread);
    run_handler(signal, info, context, before);
    reenter_runtime(thread);
    change_mask(SIG_SETMASK, ~Mask{0});
    if (mode == Mode::controlled) leave_control(thread);
    errno = error;
    thread->signals.outside = true;
  } else if (thread->inside == 0 && !inside_a_step(context)) {
    reenter_runtime(thread);
    note_signal_taken(thread);
    leave_runtime(thread);
    run_handler(signal, info, context, before);
  } else {
    keep_for_later(thread, info);
  }
}

int install(int signal) {
  struct sigaction ours = {};
  ours.sa_sigaction = on_signal;
  // Real calls of the program see what it asked for.
  ours.sa_flags = SA_SIGINFO | (actions_[signal].sa_flags &
                                (SA_RESTART | SA_ONSTACK | SA_NOCLDSTOP | SA_NOCLDWAIT));
  const Mask all = ~Mask{0};
  __builtin_memcpy(&ours.sa_mask, &all, sizeof all);
  return real.sigaction(signal, &ours, nullptr);
}

void learn(int signal) {
  if (known_[signal]) return;
  known_[signal] = real.sigaction(signal, nullptr, &actions_[signal]) == 0;
}

}  // namespace

bool can_be_caught(int signal) {
  return signal > 0 && signal < kSignals && signal != SIGKILL && signal != SIGSTOP &&
         signal != 32 && signal != 33;
}

int set_action(int signal, const struct sigaction* action, struct sigaction* old) {
  os::Guard guard(actions_lock_);
  learn(signal);
  const struct sigaction before = actions_[signal];
  if (action) {
    const Mask mask = change_mask(SIG_SETMASK, ~Mask{0});
    actions_[signal] = *action;
    const bool ours = is_handler(*action) || (is_deadly(signal) && action->sa_handler == SIG_DFL);
    if (ours) {
      install(signal);
    } else {
      real.sigaction(signal, action, nullptr);
    }
    change_mask(SIG_SETMASK, mask);
  }
  if (old) *old = before;
  return 0;
}

bool is_instrumented(const void* address) {
  if (ranges_overflow_) return true;
  const size_t count = __atomic_load_n(&range_count_, __ATOMIC_ACQUIRE);
  for (size_t i = 0; i < count; i++) {
    if (ranges_[i].contains(address)) return true;
  }
  return false;
}

void start_signals() {
  ranges_[0] = {reinterpret_cast<uintptr_t>(&__ehdr_start), reinterpret_cast<uintptr_t>(&_end)};
  range_count_ = 1;
  const int deadly[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGTRAP,
                        SIGSYS,  SIGABRT, SIGTERM, SIGINT, SIGHUP};
  for (const int signal : deadly) {
    if (!is_deadly(signal)) continue;
    learn(signal);
    if (actions_[signal].sa_handler == SIG_DFL) install(signal);
  }
}

bool handle_signals(Thread* thread) {
  Thread::Signals& s = thread->signals;
  bool interrupts = false;
  s.waiting = false;
  ucontext_t context = {};
  while (s.first != __atomic_load_n(&s.last, __ATOMIC_ACQUIRE)) {
    siginfo_t info;
    os::copy(&info, &s.queue[s.first], sizeof info);
    s.first = (s.first + 1) % Thread::Signals::kQueue;
    note_signal_taken(thread);
    leave_runtime(thread);
    interrupts |= run_handler(info.si_signo, &info, &context, change_mask(SIG_BLOCK, 0));
    reenter_runtime(thread);
  }
  for (Mask sent; (sent = __atomic_load_n(&s.sent, __ATOMIC_ACQUIRE) & ~s.blocked) != 0;) {
    siginfo_t info = {};
    info.si_signo = __builtin_ctzll(sent) + 1;
    info.si_code = SI_TKILL;
    info.si_pid = static_cast<pid_t>(os::process_id());
    __atomic_fetch_and(&s.sent, ~bit(info.si_signo), __ATOMIC_ACQ_REL);
    note_signal_taken(thread);
    leave_runtime(thread);
    interrupts |= run_handler(info.si_signo, &info, &context, change_mask(SIG_BLOCK, 0));
    reenter_runtime(thread);
  }
  return interrupts;
}

bool send_signal(Thread* target, int signal) {
  if (!can_be_caught(signal) || mode == Mode::parallel || target->run == Run::external) {
    return false;
  }
  Thread::Signals& s = target->signals;
  if (s.blocked & bit(signal)) {
    if (s.awaited & bit(signal)) note_signal(s);
    return false;
  }
  if (!known_[signal] || !is_handler(actions_[signal])) return false;
  __atomic_fetch_or(&s.sent, bit(signal), __ATOMIC_ACQ_REL);
  note_signal(s);
  interrupt(target, Woken::interrupted);
  return true;
}

void leave_fault_handler(Thread* thread) {
  Thread::Signals& s = thread->signals;
  if (s.faults == 0) return;
  s.faults = 0;
  thread->slots->cursor = s.held_cursor;
  thread->slots->fuel = s.held_fuel;
  if (!thread->ignoring) aim_filter(thread);
  thread->inside--;
}

void add_instrumented_object(const void* address_in_it) {
  for (size_t i = 0; i < range_count_; i++) {
    if (ranges_[i].contains(address_in_it)) return;
  }
  const LoadedObject range = loaded_object_around(address_in_it);
  if (range_count_ == kRanges) {
    ranges_overflow_ = true;
    return;
  }
  ranges_[range_count_] = range;
  __atomic_store_n(&range_count_, range_count_ + 1, __ATOMIC_RELEASE);
}

}  // namespace foretell::rt

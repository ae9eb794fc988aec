// SPDX-License-Identifier: Apache-2.0

// Things that happen once: pthread_once, call_once, and the guards of static locals.
//
// To the trace, the first byte of the object is an atomic: who finds it done reads with acquire what
// the thread that did it wrote with release. While a routine runs, others that come are blocked.
// An attempt that fails orders those after it. It writes no value, and who begins another attempt
// reads none: with the value 0 the read could be served by the initial 0 as well, and the two
// attempts would seem to run at the same time.
//
// libc's own pthread_once runs the routine, because it knows how to undo its state when an
// exception or a cancellation passes through. Nobody tells us then. The thread finds out before its
// next step, by libc's state, and records that it gave up; until then others stay blocked.
#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/atomic_order.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

constexpr int kInProgress = 1;  // bits of a pthread_once_t in glibc
constexpr int kDone = 2;

int load(const int* control) {
  return __atomic_load_n(control, __ATOMIC_ACQUIRE);
}

enum class State : uint8_t { to_do, done };

void put_read(Thread* thread, uint32_t site, const void* object, State state) {
  if (state == State::to_do) {
    put(thread, Op::AtomicRead, site, object, kAcquireByte, 0);
  } else {
    put(thread, Op::AtomicRead, site, object,
        recording::AtomicValue{MemoryOrder::acquire, 1}.packed(), 1);
  }
}
void put_write(Thread* thread, uint32_t site, const void* object, State state) {
  if (state == State::to_do) {
    put(thread, Op::AtomicWrite, site, object, kReleaseByte, 0);
  } else {
    put(thread, Op::AtomicWrite, site, object,
        recording::AtomicValue{MemoryOrder::release, 1}.packed(), 1);
  }
}

struct Running {
  Thread* thread;
  uint32_t site;
  int* control;
  void (*routine)();
};
// The routine that libc is about to call back on this thread.
__thread Running running_ __attribute__((tls_model("initial-exec")));

void end_left_onces(Thread* thread);

void run_routine() {
  const Running it = running_;
  Thread* const thread = it.thread;
  const bool is_kept = mode == Mode::controlled && thread->onces < Thread::kOnces;
  if (is_kept) {
    thread->once[thread->onces++] = {it.control, it.site};
    thread->before_next_step = end_left_onces;
  }
  leave_runtime(thread);
  it.routine();
  reenter_runtime(thread);
  if (is_kept && --thread->onces == 0) thread->before_next_step = nullptr;
  before_step(it.thread);
  put_write(it.thread, it.site, it.control, State::done);
}

bool is_in_progress(const int* control) {
  if (load(control) & kInProgress) return true;
  for (const Thread* t = all_threads(); t; t = t->next) {
    for (uint32_t i = 0; i < t->onces; i++) {
      if (t->once[i].control == control) return true;
    }
  }
  return false;
}

bool not_in_progress(Thread* thread) {
  return !is_in_progress(static_cast<const int*>(thread->wait_object));
}

int once(Thread* thread, uint32_t site, int* control, void (*routine)()) {
  before_step(thread);
  if (mode == Mode::controlled) {
    while (is_in_progress(control)) {
      thread->ready = not_in_progress;
      block(thread, Wait::once, control);
      before_step(thread);
    }
  }
  if (load(control) == kDone) {
    put_read(thread, site, control, State::done);
    return 0;
  }
  if (mode == Mode::controlled) put_read(thread, site, control, State::to_do);
  running_ = {thread, site, control, routine};
  const int result = real.pthread_once(control, run_routine);
  // In parallel mode another thread may have done it meanwhile.
  if (mode == Mode::parallel) {
    before_step(thread);
    put_read(thread, site, control, State::done);
  }
  return result;
}

// The guard of a static local: byte 0 is not 0 once it is initialized, and byte 1 while it is
// being done. Compilers test byte 0 by themselves.
struct Guard {
  uint8_t done;
  uint8_t in_progress;
};

// Controlled mode: takes the steps of routines that an exception has ended since.
void end_left_onces(Thread* thread) {
  while (thread->onces > 0) {
    const Thread::Once once = thread->once[thread->onces - 1];
    if (thread->ends_once || load(once.control) & kInProgress) return;
    thread->ends_once = true;
    before_step(thread);
    thread->ends_once = false;
    // Whoever tries next comes after what was tried here.
    put_write(thread, once.site, once.control, State::to_do);
    if (--thread->onces == 0) thread->before_next_step = nullptr;
  }
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_once(pthread_once_t* control, void (*routine)()) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_once(control, routine);
  return once(call.thread, call.site, control, routine);
}

FORETELL_INTERCEPT void call_once(once_flag* flag, void (*routine)()) {
  Call call(__builtin_return_address(0));
  if (!call) return real.call_once(flag, routine);
  once(call.thread, call.site, &flag->__data, routine);
}

FORETELL_INTERCEPT int __cxa_guard_acquire(uint64_t* object) {
  Call call(__builtin_return_address(0));
  if (!real.__cxa_guard_acquire) resolve_cxx_functions();
  if (!call) return real.__cxa_guard_acquire(object);
  before_step(call.thread);
  if (mode == Mode::parallel) {
    const int result = real.__cxa_guard_acquire(object);
    before_step(call.thread);
    const AtomicOrder order(object);
    put_read(call.thread, call.site, object, result == 0 ? State::done : State::to_do);
    return result;
  }
  auto* guard = reinterpret_cast<Guard*>(object);
  while (!guard->done && guard->in_progress) {
    block(call.thread, Wait::once, object);
    before_step(call.thread);
  }
  put_read(call.thread, call.site, object, guard->done ? State::done : State::to_do);
  if (guard->done) return 0;
  guard->in_progress = 1;
  return 1;
}

FORETELL_INTERCEPT void __cxa_guard_release(uint64_t* object) {
  Call call(__builtin_return_address(0));
  if (!real.__cxa_guard_release) resolve_cxx_functions();
  if (!call) return real.__cxa_guard_release(object);
  before_step(call.thread);
  if (mode == Mode::parallel) {
    const AtomicOrder order(object);
    put_write(call.thread, call.site, object, State::done);
    return real.__cxa_guard_release(object);
  }
  auto* guard = reinterpret_cast<Guard*>(object);
  guard->done = 1;
  guard->in_progress = 0;
  put_write(call.thread, call.site, object, State::done);
  wake(Wait::once, object);
}

FORETELL_INTERCEPT void __cxa_guard_abort(uint64_t* object) {
  Call call(__builtin_return_address(0));
  if (!real.__cxa_guard_abort) resolve_cxx_functions();
  if (!call) return real.__cxa_guard_abort(object);
  // Whoever tries next comes after what was tried here.
  before_step(call.thread);
  if (mode == Mode::parallel) {
    const AtomicOrder order(object);
    put_write(call.thread, call.site, object, State::to_do);
    return real.__cxa_guard_abort(object);
  }
  put_write(call.thread, call.site, object, State::to_do);
  reinterpret_cast<Guard*>(object)->in_progress = 0;
  wake(Wait::once, object, 1);
}

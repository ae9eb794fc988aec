// SPDX-License-Identifier: Apache-2.0

// Creation, end and joining of threads.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>

#include "runtime/intercept/attach.h"
#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/locking.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/schedule/virtual_time.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

pthread_key_t end_key_;
bool end_key_made_ = false;

// Destructors of thread-specific data run in rounds; what the program stores in one round is
// destroyed in the next. The thread's last step comes in the last round.
constexpr uintptr_t kRounds = PTHREAD_DESTRUCTOR_ITERATIONS;

void at_thread_end(void* round) {
  const auto left = reinterpret_cast<uintptr_t>(round);
  if (left > 1 && pthread_setspecific(end_key_, reinterpret_cast<void*>(left - 1)) == 0) return;
  if (Thread* thread = self()) {
    thread->inside++;
    abandon_robust_mutexes(thread);
    end_thread(thread);
  }
}

// libc loads the unwinder when the first thread needs it. That allocates memory while libc holds a
// lock that pthread_create needs: if the allocation were a step, another thread could get the token
// and wait for the lock. So it is loaded here, where nothing is a step.
void prepare_end() {
  if (end_key_made_) return;
  end_key_made_ = pthread_key_create(&end_key_, at_thread_end) == 0;
  dlopen("libgcc_s.so.1", RTLD_NOW);
}

void ask_for_end() {
  pthread_setspecific(end_key_, reinterpret_cast<void*>(kRounds));
}

}  // namespace

void await_end(Thread* thread) {
  reenter_runtime(thread);
  prepare_end();
  ask_for_end();
  leave_runtime(thread);
}

namespace {

void* run_thread(void* argument) {
  auto* thread = static_cast<Thread*>(argument);
  thread->handle = pthread_self();
  begin_thread(thread);
  await_end(thread);
  if (thread->start) return thread->start(thread->argument);
  return reinterpret_cast<void*>(intptr_t{thread->c11_start(thread->argument)});
}

void joined(Thread* thread, uint32_t site, Thread* target, uint64_t limit) {
  target->joinable = false;
  target->joined = true;
  put(thread, Op::Join, site, reinterpret_cast<void*>(uintptr_t{target->id}), limit);
}

// Another thread has joined it, which is an error of the program. It has waited for the end as well,
// and in another schedule it is the one that joins: so it is a step of the same kind. libc is not
// called, because what the handle means is gone.
int fail_to_join(Thread* thread, uint32_t site, Thread* target, uint64_t deadline) {
  before_step(thread);
  joined(thread, site, target, limit_of(deadline));
  return EINVAL;
}

template <class RealJoin>
int join_until(Thread* thread, uint32_t site, pthread_t handle, void** result, uint64_t deadline,
               RealJoin real_join) {
  Thread* target = thread_of(handle);
  obey_cancellation(thread);
  if (!target && mode == Mode::controlled) {
    if (Thread* gone = joined_thread(handle)) return fail_to_join(thread, site, gone, deadline);
  }
  if (!target) return call_outside(thread, real_join);
  before_step(thread);
  if (mode == Mode::parallel) {
    const int status = call_cancellable(thread, real_join, [] {});
    before_step(thread);
    if (status == 0) joined(thread, site, target, limit_of(deadline));
    return status;
  }
  while (target != thread && target->run != Run::ended) {
    const Woken woken = block_interruptibly(thread, Wait::thread, target, deadline);
    before_step(thread);
    if (woken == Woken::timed_out && target->run != Run::ended) return ETIMEDOUT;
    if (woken == Woken::cancelled) obey_cancellation(thread);
  }
  if (target->joined) return fail_to_join(thread, site, target, deadline);
  // The thread has taken its last step, so this takes only as long as the kernel needs.
  const int status = real.pthread_join(handle, result);
  if (status == 0) joined(thread, site, target, limit_of(deadline));
  return status;
}

}  // namespace

int create_thread(Thread* thread, uint32_t site, pthread_t* handle,
                  const pthread_attr_t* attributes, void* (*start)(void*), int (*c11_start)(void*),
                  void* argument) {
  prepare_end();
  before_step(thread);
  Thread* child = new_child(thread);
  if (!child) return EAGAIN;
  child->start = start;
  child->argument = argument;
  child->c11_start = c11_start;
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &detached);
  child->joinable = detached == PTHREAD_CREATE_JOINABLE;
  // The child may run before the call returns, so its fork is recorded first where order is real.
  if (mode == Mode::parallel) {
    put(thread, Op::Fork, site, reinterpret_cast<void*>(uintptr_t{child->id}));
  }
  uint64_t before = 0;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&kBlockedAtBirth), os::word(&before),
           sizeof before);
  child->signals.blocked = before;
  const int result = real.pthread_create(handle, attributes, run_thread, child);
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&before), 0, sizeof before);
  if (result != 0) {
    forget_thread(child);
    return result;
  }
  child->handle = *handle;
  if (mode == Mode::controlled) {
    put(thread, Op::Fork, site, reinterpret_cast<void*>(uintptr_t{child->id}));
    admit(child);
  }
  return 0;
}

int join_thread(Thread* thread, uint32_t site, pthread_t handle, void** result) {
  return join_until(thread, site, handle, result, kForever,
                    [=] { return real.pthread_join(handle, result); });
}

}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                                      void* (*start)(void*), void* argument) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_create(handle, attributes, start, argument);
  return create_thread(call.thread, call.site, handle, attributes, start, nullptr, argument);
}

FORETELL_INTERCEPT int pthread_join(pthread_t handle, void** result) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_join(handle, result);
  return join_thread(call.thread, call.site, handle, result);
}

FORETELL_INTERCEPT int pthread_tryjoin_np(pthread_t handle, void** result) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_tryjoin_np(handle, result);
  Thread* target = thread_of(handle);
  before_step(call.thread);
  int status;
  if (target && mode == Mode::controlled) {
    if (target->run != Run::ended) return EBUSY;
    status = real.pthread_join(handle, result);
  } else {
    status = real.pthread_tryjoin_np(handle, result);
  }
  if (status == 0 && target) joined(call.thread, call.site, target, foretell::recording::kLimited);
  return status;
}

FORETELL_INTERCEPT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                            const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || (until && !can_wait_until(clock, until))) {
    return real.pthread_clockjoin_np(handle, result, clock, until);
  }
  return join_until(call.thread, call.site, handle, result,
                    until ? virtual_deadline(clock, until) : kForever,
                    [=] { return real.pthread_clockjoin_np(handle, result, clock, until); });
}

FORETELL_INTERCEPT int pthread_timedjoin_np(pthread_t handle, void** result,
                                            const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || (until && !can_wait_until(CLOCK_REALTIME, until))) {
    return real.pthread_timedjoin_np(handle, result, until);
  }
  return join_until(call.thread, call.site, handle, result,
                    until ? virtual_deadline(CLOCK_REALTIME, until) : kForever,
                    [=] { return real.pthread_timedjoin_np(handle, result, until); });
}

FORETELL_INTERCEPT int pthread_detach(pthread_t handle) {
  Call call(__builtin_return_address(0));
  Thread* target = call ? thread_of(handle) : nullptr;
  const int status = real.pthread_detach(handle);
  if (status == 0 && target) target->joinable = false;
  return status;
}

FORETELL_INTERCEPT void pthread_exit(void* result) {
  {
    Call call(__builtin_return_address(0));
    if (call) {
      // The first thread, and threads made elsewhere, were not started by run_thread.
      prepare_end();
      ask_for_end();
    }
  }
  real.pthread_exit(result);
  __builtin_unreachable();
}

FORETELL_INTERCEPT int pthread_setname_np(pthread_t handle, const char* name) {
  Call call(__builtin_return_address(0));
  const int status = real.pthread_setname_np(handle, name);
  if (!call || status != 0) return status;
  if (const Thread* target = living_thread(handle)) name_thread(call.thread, target, name);
  return status;
}

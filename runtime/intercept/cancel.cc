// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/cancel.h"

#include "runtime/intercept/call.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {

namespace {

// No value is recorded for atomics of this size.
constexpr uint64_t kSizeWithoutValue = 16;
constexpr uint64_t kAcquires =
    recording::AtomicValue{MemoryOrder::acquire, kSizeWithoutValue}.packed();
constexpr uint64_t kReleases =
    recording::AtomicValue{MemoryOrder::release, kSizeWithoutValue}.packed();

// What the thread does from here on comes after the call that cancelled it.
void note_cancelled(Thread* thread) {
  before_step(thread);
  put(thread, Op::AtomicRead, recording::kNoSite, thread, kAcquires, uint64_t{0});
}

}  // namespace

void obey_cancellation(Thread* thread) {
  if (!thread->cancelled || thread->cancel_disabled) return;
  note_cancelled(thread);
  leave_runtime(thread);
  real.pthread_testcancel();
  reenter_runtime(thread);
}

Woken block(Thread* thread, Wait wait, const void* object, uint64_t deadline) {
  suspend(thread, wait, object, deadline);
  if (signal_waits(thread)) thread->restarts = !handle_signals(thread);
  return thread->woken;
}

Woken block_interruptibly(Thread* thread, Wait wait, const void* object, uint64_t deadline) {
  thread->interruptible = true;
  const Woken woken = block(thread, wait, object, deadline);
  thread->interruptible = false;
  return woken;
}

}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_cancel(pthread_t handle) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_cancel(handle);
  Thread* target = living_thread(handle);
  before_step(call.thread);
  const int result = real.pthread_cancel(handle);
  if (result != 0 || !target) return result;
  put(call.thread, Op::AtomicWrite, call.site, target, kReleases, uint64_t{0});
  target->cancelled = true;
  if (mode == Mode::controlled && !target->cancel_disabled) interrupt(target, Woken::cancelled);
  return result;
}

FORETELL_INTERCEPT int pthread_setcancelstate(int state, int* old) {
  Call call(__builtin_return_address(0));
  const int result = real.pthread_setcancelstate(state, old);
  if (call && result == 0) call.thread->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
  return result;
}

FORETELL_INTERCEPT int pthread_setcanceltype(int type, int* old) {
  Call call(__builtin_return_address(0));
  if (!call || (type != PTHREAD_CANCEL_ASYNCHRONOUS && type != PTHREAD_CANCEL_DEFERRED)) {
    return real.pthread_setcanceltype(type, old);
  }
  if (old) {
    *old = call.thread->cancel_at_once ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  }
  call.thread->cancel_at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (call.thread->cancel_at_once) obey_cancellation(call.thread);
  return 0;
}

FORETELL_INTERCEPT void pthread_testcancel() {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_testcancel();
  // Others get a chance to cancel it here.
  if (mode == Mode::controlled) before_step(call.thread);
  obey_cancellation(call.thread);
  leave_runtime(call.thread);
  real.pthread_testcancel();
  reenter_runtime(call.thread);
}

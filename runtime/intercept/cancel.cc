#include "cancel.h"

#include "../real.h"

namespace foretell::rt {

void obey_cancellation(Thread* thread) {
  if (!thread->cancelled) return;
  leave_runtime(thread);
  real.pthread_testcancel();
  reenter_runtime(thread);
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
  leave_runtime(call.thread);
  real.pthread_testcancel();
  reenter_runtime(call.thread);
}

// SPDX-License-Identifier: Apache-2.0

// The threads of C11. In glibc they are the POSIX ones under other names and with other results,
// but they do not go through the POSIX functions that we stand in front of.
#include "runtime/intercept/call.h"
#include "runtime/intercept/locking.h"
#include "runtime/intercept/misuse.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/steps.h"

namespace foretell::rt {
namespace {

int c11_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* posix(mtx_t* mutex) {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* posix(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}
static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t));

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int thrd_create(thrd_t* handle, thrd_start_t start, void* argument) {
  Call call(__builtin_return_address(0));
  if (!call) return real.thrd_create(handle, start, argument);
  const int result =
      create_thread(call.thread, call.site, handle, nullptr, nullptr, start, argument);
  // What C11 calls too many threads is no memory.
  return c11_result(result == EAGAIN ? ENOMEM : result);
}

FORETELL_INTERCEPT int thrd_join(thrd_t handle, int* result) {
  Call call(__builtin_return_address(0));
  if (!call) return real.thrd_join(handle, result);
  void* value = nullptr;
  const int status = join_thread(call.thread, call.site, handle, &value);
  if (status == 0 && result) *result = static_cast<int>(reinterpret_cast<intptr_t>(value));
  return c11_result(status);
}

FORETELL_INTERCEPT int thrd_detach(thrd_t handle) {
  return c11_result(pthread_detach(handle));
}

FORETELL_INTERCEPT void thrd_exit(int result) {
  pthread_exit(reinterpret_cast<void*>(intptr_t{result}));
}

FORETELL_INTERCEPT int mtx_init(mtx_t* mutex, int type) {
  Call call(__builtin_return_address(0));
  if (call) forget_mutex(call.thread, posix(mutex));
  return real.mtx_init(mutex, type);
}

FORETELL_INTERCEPT void mtx_destroy(mtx_t* mutex) {
  Call call(__builtin_return_address(0));
  if (call) destroy(call.thread, call.site, Synchronizer::lock, posix(mutex));
  real.mtx_destroy(mutex);
  if (call) forget_mutex(call.thread, posix(mutex));
}

FORETELL_INTERCEPT int mtx_lock(mtx_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.mtx_lock(mutex);
  return c11_result(lock_mutex(call.thread, call.site, posix(mutex)));
}

FORETELL_INTERCEPT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call) return real.mtx_timedlock(mutex, until);
  return c11_result(lock_mutex_until(call.thread, call.site, posix(mutex), CLOCK_REALTIME, until));
}

FORETELL_INTERCEPT int mtx_trylock(mtx_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.mtx_trylock(mutex);
  return c11_result(try_mutex(call.thread, call.site, posix(mutex)));
}

FORETELL_INTERCEPT int mtx_unlock(mtx_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.mtx_unlock(mutex);
  before_step(call.thread);
  return c11_result(release_mutex(call.thread, posix(mutex), call.site));
}

FORETELL_INTERCEPT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  Call call(__builtin_return_address(0));
  if (!call) return real.cnd_wait(condition, mutex);
  return c11_result(wait_for_condition(call.thread, call.site, posix(condition), posix(mutex)));
}

FORETELL_INTERCEPT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call) return real.cnd_timedwait(condition, mutex, until);
  return c11_result(wait_for_condition_until(call.thread, call.site, posix(condition), posix(mutex),
                                             CLOCK_REALTIME, until));
}

FORETELL_INTERCEPT int cnd_signal(cnd_t* condition) {
  Call call(__builtin_return_address(0));
  if (!call) return real.cnd_signal(condition);
  return c11_result(notify_one(call.thread, call.site, posix(condition)));
}

FORETELL_INTERCEPT int cnd_broadcast(cnd_t* condition) {
  Call call(__builtin_return_address(0));
  if (!call) return real.cnd_broadcast(condition);
  return c11_result(notify_all(call.thread, call.site, posix(condition)));
}

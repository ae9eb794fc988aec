// Creation, end and joining of threads.
#include <errno.h>
#include <limits.h>

#include "../os.h"
#include "../real.h"
#include "../scheduler.h"

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
  if (Thread* thread = self()) end_thread(thread);
}

void* run_thread(void* argument) {
  auto* thread = static_cast<Thread*>(argument);
  pthread_setspecific(end_key_, reinterpret_cast<void*>(kRounds));
  begin_thread(thread);
  return thread->start(thread->argument);
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                                      void* (*start)(void*), void* argument) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_create(handle, attributes, start, argument);
  if (!end_key_made_) end_key_made_ = pthread_key_create(&end_key_, at_thread_end) == 0;
  before_step(call.thread);
  Thread* child = new_thread(call.thread);
  if (!child) return EAGAIN;
  child->start = start;
  child->argument = argument;
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &detached);
  child->joinable = detached == PTHREAD_CREATE_JOINABLE;
  // The child may run before the call returns, so its fork is recorded first where order is real.
  if (mode == Mode::parallel) {
    put(call.thread, Op::Fork, call.site, reinterpret_cast<void*>(uintptr_t{child->id}));
  }
  const int result = real.pthread_create(handle, attributes, run_thread, child);
  if (result != 0) {
    forget_thread(child);
    return result;
  }
  child->handle = *handle;
  if (mode == Mode::controlled) {
    put(call.thread, Op::Fork, call.site, reinterpret_cast<void*>(uintptr_t{child->id}));
    admit(child);
  }
  return 0;
}

FORETELL_INTERCEPT int pthread_join(pthread_t handle, void** result) {
  initialize();
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_join(handle, result);
  Thread* target = thread_of(handle);
  before_step(call.thread);
  if (target && target != call.thread && mode == Mode::controlled) {
    while (target->run != Run::ended) {
      block(call.thread, Wait::thread, target);
      before_step(call.thread);
    }
  }
  const int status = real.pthread_join(handle, result);
  if (status == 0 && target) {
    target->joinable = false;
    put(call.thread, Op::Join, call.site, reinterpret_cast<void*>(uintptr_t{target->id}));
  }
  return status;
}

FORETELL_INTERCEPT int pthread_detach(pthread_t handle) {
  initialize();
  Call call(__builtin_return_address(0));
  Thread* target = call ? thread_of(handle) : nullptr;
  const int status = real.pthread_detach(handle);
  if (status == 0 && target) target->joinable = false;
  return status;
}

// SPDX-License-Identifier: Apache-2.0

// The end of the process: return from main, exit, quick_exit, _exit. Before it takes its course the
// other threads run on (schedule/ending.h): before the handlers of exit and the destructors of
// statics, after which natively hardly a thread would run.
//
// abort, signals and faults end the process at once, as natively.
#include <stdlib.h>
#include <unistd.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/platform/task_status.h"
#include "runtime/schedule/ending.h"

namespace foretell::rt {
namespace {

using Main = int (*)(int, char**, char**);
Main program_main_ = nullptr;

// All threads run anyway. It is enough to wait a little for those that compute.
void await_others_in_parallel(const Thread* thread) {
  constexpr uint64_t kTickNs = 1'000'000;
  constexpr int kMostTicks = 100;
  for (int tick = 0; tick < kMostTicks; tick++) {
    bool busy = false;
    for (const Thread* t = all_threads(); t && !busy; t = t->next) {
      if (t != thread && t->run != Run::ended) busy = t->os_id == 0 || !thread_sleeps(t->os_id);
    }
    if (!busy) return;
    os::sleep_ns(kTickNs);
  }
}

void let_others_run_on(void* return_address) {
  initialize();
  if (!in_recorded_process()) return;
  Call call(return_address);
  // In the handler of a fault nothing is recorded, and nobody knows what is still whole.
  if (!call || call.thread->signals.faults > 0) return;
  Thread* thread = call.thread;
  if (mode == Mode::parallel) return await_others_in_parallel(thread);
  if (!begin_ending(thread)) {
    for (;;) block(thread, Wait::end, thread);
  }
  while (others_are_left(thread)) {
    if (block(thread, Wait::end, thread) == Woken::notified) return;
  }
}

// What the program's main returns to. Its frame is gone, but other threads may still use variables
// in it, as they do natively with luck: nothing of the runtime is put there.
int call_main(int count, char** arguments, char** environment) {
  const int status = program_main_(count, arguments, environment);
  constexpr size_t kFrameOfMain = 1 << 16;
  void* kept = __builtin_alloca(kFrameOfMain);
  asm volatile("" : : "r"(kept) : "memory");
  let_others_run_on(nullptr);
  return status;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int __libc_start_main(Main main, int count, char** arguments, void (*init)(),
                                         void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  initialize();
  program_main_ = main;
  return real.__libc_start_main(active ? call_main : main, count, arguments, init, fini, rtld_fini,
                                stack_end);
}

FORETELL_INTERCEPT void exit(int status) {
  let_others_run_on(__builtin_return_address(0));
  real.exit(status);
  __builtin_unreachable();
}

FORETELL_INTERCEPT void quick_exit(int status) {
  let_others_run_on(__builtin_return_address(0));
  note_end(status);
  real.quick_exit(status);
  __builtin_unreachable();
}

FORETELL_INTERCEPT void _exit(int status) {
  let_others_run_on(__builtin_return_address(0));
  note_end(status);
  real._exit(status);
  __builtin_unreachable();
}

FORETELL_INTERCEPT void _Exit(int status) {
  _exit(status);
}

// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/steps.h"

#include "runtime/schedule/scheduler.h"

namespace foretell::rt {

void reenter_runtime(Thread* thread) {
  thread->inside++;
  if (thread->lost) {
    off_stream(thread);
    enter_control(thread, recording::Why::watchdog);
  } else if (thread->ignoring) {
    thread->slots->cursor = thread->held_cursor;
    refuel(thread);
  }
}

void leave_runtime(Thread* thread) {
  thread->inside--;
  if (!thread->ignoring) return;
  thread->held_cursor = thread->slots->cursor;
  off_stream(thread);
}

void before_step(Thread* thread, bool synchronizes) {
  ForetellThread* slots = thread->slots;
  if (thread->before_next_step) thread->before_next_step(thread);
  if (thread->lost) {
    off_stream(thread);
    enter_control(thread, recording::Why::watchdog);
  }
  if (mode == Mode::parallel) {
    if (slots->fuel <= 0) refuel(thread);
  } else if (synchronizes || slots->fuel <= 0) {
    decide(thread, synchronizes);
  }
}

}  // namespace foretell::rt

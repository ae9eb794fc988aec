// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/steps.h"

#include "runtime/schedule/scheduler.h"
#include "runtime/threads/frames.h"

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

namespace {

void come_back(Thread* thread) {
  if (!thread->lost) return;
  off_stream(thread);
  enter_control(thread, recording::Why::watchdog);
}

// Stops before a step that is recorded, but is not the strategy's business.
void stop_quietly(Thread* thread) {
  if (thread->slots->fuel > 0) return;
  if (counts_work()) {
    refuel(thread);
  } else {
    decide(thread, false);
  }
}

}  // namespace

void tell_frames(Thread* thread) {
  while (has_next_frame(thread)) {
    stop_quietly(thread);
    put_next_frame(thread);
  }
}

void before_access(Thread* thread) {
  if (thread->before_next_step) thread->before_next_step(thread);
  come_back(thread);
  tell_frames(thread);
  stop_quietly(thread);
}

void before_step(Thread* thread, bool synchronizes) {
  ForetellThread* slots = thread->slots;
  if (thread->before_next_step) thread->before_next_step(thread);
  come_back(thread);
  if (watch::watching_on) tell_frames(thread);
  if (mode == Mode::parallel) {
    if (slots->fuel <= 0) refuel(thread);
  } else if (synchronizes || slots->fuel <= 0 || (counts_work() && slots->work <= 0)) {
    decide(thread, synchronizes);
  }
}

}  // namespace foretell::rt

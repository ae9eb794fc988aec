// SPDX-License-Identifier: Apache-2.0

// The hooks of reads that the filter leaves out (contract: recording/filter.h).
#include "recording/hooks.h"
#include "runtime/intercept/attach.h"
#include "runtime/intercept/signals.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/filter.h"
#include "runtime/threads/records.h"

using namespace foretell::rt;

extern "C" {

char* __foretell_new_region(const void* address) {
  return new_region(attached_thread, address);
}

void __foretell_many_hits() {
  Thread* thread = active ? self() : nullptr;
  count_many_hits(thread);
  if (!thread) return;
  count_repeated_reads();
  if (thread->inside || thread->ignoring) return;
  reenter_runtime(thread);
  if (signal_waits(thread)) handle_signals(thread);
  count_steps(thread);
  // Whether yielding would look at the filter depends on the schedule.
  if (thread->steps >= thread->filtering.next_look) refuel(thread);
  if (thread->is_held) {
    thread->is_held = false;
    hold(thread);
  } else if (mode == Mode::controlled) {
    const bool waits = thread->filtering.steps_at_hits == thread->steps;
    thread->filtering.steps_at_hits = thread->steps;
    if (waits) yield(thread);
  }
  leave_runtime(thread);
}
}

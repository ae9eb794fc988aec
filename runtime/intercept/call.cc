// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/call.h"

#include "runtime/intercept/attach.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/program_objects.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/return_sites.h"

namespace foretell::rt {

Call::Call(void* return_address) : thread(nullptr) {
  if (!active) initialize();
  thread = active ? self() : nullptr;
  if (!thread) return;
  if (thread->inside) {
    thread = nullptr;
    return;
  }
  site = __foretell_thread.call_site;
  __foretell_thread.call_site = 0;
  reenter_runtime(thread);
  // Whatever follows may let others run.
  if (records_all && !thread->ignoring) tell_frames(thread);
  if (site == 0 && thread_sanitizer_objects && return_address) {
    site = site_of_return(thread, return_address);
  }
  thread->call_site = site;
  if (thread->cancelled && thread->cancel_at_once) obey_cancellation(thread);
  if (signal_waits(thread)) handle_signals(thread);
}

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/debugger.h"

namespace foretell::rt {

#define FORETELL_FOR_DEBUGGER __attribute__((visibility("default"), used))
FORETELL_FOR_DEBUGGER uint64_t __foretell_pause_at = 0;
FORETELL_FOR_DEBUGGER uint64_t __foretell_step = 0;
FORETELL_FOR_DEBUGGER uint32_t __foretell_turn = 0;
FORETELL_FOR_DEBUGGER uint32_t __foretell_thread_count = 0;
FORETELL_FOR_DEBUGGER DebuggerThread __foretell_threads[kDebuggerThreads] = {};
#undef FORETELL_FOR_DEBUGGER

extern "C" __attribute__((noinline, visibility("default"))) void __foretell_reached() {
  asm volatile("");
}

void tell_debugger(const Thread* thread, uint64_t steps) {
  __foretell_step = steps;
  __foretell_turn = thread ? thread->id : kNobody;
  uint32_t count = 0;
  for (const Thread* t = all_threads(); t && count < kDebuggerThreads; t = t->next) {
    if (t->run == Run::ended) continue;
    __foretell_threads[count++] = {t->id, t->os_id, static_cast<uint32_t>(t->run),
                                   static_cast<uint32_t>(t->wait)};
  }
  __foretell_thread_count = count;
  __foretell_reached();
}

}  // namespace foretell::rt

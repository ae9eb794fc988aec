// What a debugger sees of the schedule.
#pragma once

#include "thread.h"

namespace foretell::rt {

// What a debugger reads and sets (share/gdb/foretell.py). The rest is filled in before
// __foretell_reached, the breakpoint, is called; the calling thread is the one whose turn it is.
struct DebuggerThread {
  uint32_t id;     // T1 is 1
  uint32_t os_id;  // gdb's LWP
  uint32_t run;    // Run
  uint32_t wait;   // Wait
};
inline constexpr uint32_t kDebuggerThreads = 256;
inline constexpr uint32_t kNobody = ~uint32_t{0};
extern "C" {
extern uint64_t __foretell_pause_at;  // the next stop, a step of the schedule from 1; 0: none
extern uint64_t __foretell_step;      // steps of the schedule that were taken
extern uint32_t __foretell_turn;      // whose turn it is
extern uint32_t __foretell_thread_count;
extern DebuggerThread __foretell_threads[kDebuggerThreads];
void __foretell_reached();
}

// It is the thread's turn (null: no thread's), and N steps of the schedule were taken.
void tell_debugger(const Thread* thread, uint64_t steps);

}  // namespace foretell::rt

// What the parts of the scheduler share: scheduler.cc (the token), readiness.cc (which threads can
// run), following.cc (the plan) and watchdog.cc.
#pragma once

#include "os.h"
#include "scheduler.h"
#include "strategy.h"

namespace foretell::rt {

inline constexpr uint64_t kStepTime = 20;  // virtual nanoseconds a step takes

// `lock` protects `current`, the threads' run states and the plan's hand-over. Stream and cursor
// belong to the holder of the token; while it is being passed they are at rest here.
struct SchedulerState {
  os::Lock lock;
  Thread* current = nullptr;  // null: everybody is blocked or external
  Stream stream;
  char* cursor = nullptr;
  Thread* recorded = nullptr;  // the thread the last Switch record names
  uint64_t steps = 0;          // of all threads, up to the last settling
  uint64_t time_base = 0;      // virtual time, less steps
  uint64_t grants = 0;         // how often the token changed hands, for the watchdog
  uint64_t yields = 0;         // since a thread was last blocked or woken
  bool pause_pending = false;
  bool asks = false;  // a thread may be blocked that has a deadline or a question (ready)
  bool idle = false;  // the holder of the token waits for the world
  // What a plan hands out one run at a time is counted when it has been used.
  Thread* planned_thread = nullptr;
  uint64_t planned_budget = 0;

  uint64_t now() const { return time_base + steps * kStepTime; }
};
extern SchedulerState sched;

// The token. All with the lock held.
void rest_stream(Thread* thread);
void pass_to(Thread* next);
// If there is a runnable thread.
Choice choose(Moment moment, Thread* thread);
void stop_for_debugger(const Thread* thread);

// Which threads can run. All with the lock held.
Thread* find_thread(uint32_t id);
bool any_thread(Run run);
void unblock(Thread* thread, Woken woken);
void time_out(Thread* thread);
[[noreturn]] void end_in_deadlock();
// Makes at least one thread runnable, or returns false if only external threads can help; a
// deadlock does not return. Others may have the lock in between.
bool make_runnable();
// A thread that yields again and again waits for another one, perhaps for a sleeping one. If it is
// alone, it waits for the next deadline; if all others also only yield, time passes ever faster.
void let_time_pass(Thread* thread);

// The plan. All with the lock held, but let_others_help.
// The thread whose turn it is, if it can run; null if the plan is over or was given up.
Thread* planned(Choice& choice);
// Counts what the thread has used of its budget; count_plan ends the process where the options say
// so.
void advance_plan(Thread* thread);
void count_plan(Thread* thread);
// It is the thread's turn, but it waits in code that is not instrumented, say at a barrier of
// OpenMP's library, for something that another does there. Those that wait as well go on up to
// their next step. False if there is none.
bool let_others_help(Thread* thread);

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// What the parts of the scheduler share: scheduler.cc (the token), readiness.cc (which threads can
// run), following.cc (the plan) and watchdog.cc.
#pragma once

#include "runtime/platform/os.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy.h"
#include "runtime/threads/records.h"

namespace foretell::rt {

inline constexpr uint64_t kStepTime = 20;  // virtual nanoseconds a step takes

// `lock` protects `current`, the threads' run states and the plan's hand-over. The cursor belongs
// to the holder of the token; while it is being passed it is at rest here.
struct SchedulerState {
  os::Lock lock;
  Thread* current = nullptr;  // null: everybody is blocked or external
  char* cursor = nullptr;
  Thread* recorded = nullptr;  // the thread the last Switch record names
  uint64_t time_base = 0;      // virtual time, less steps
  uint64_t grants = 0;         // how often the token changed hands, for the watchdog
  uint64_t yields = 0;         // since a thread was last blocked or woken
  bool pause_pending = false;
  bool asks = false;  // a thread may be blocked that has a deadline or a question (ready)
  bool idle = false;  // the holder of the token waits for something outside
  // What a plan hands out one run at a time is counted when it has been used.
  Thread* planned_thread = nullptr;
  uint64_t planned_budget = 0;

  uint64_t now() const { return time_base + shared_stream.steps * kStepTime; }
};
extern SchedulerState sched;

// The token. All with the lock held.
void rest_stream(Thread* thread);
void pass_to(Thread* next);
// Whose turn it is, and for how many steps.
struct Turn {
  Thread* thread;
  uint64_t budget;
};
// Who is next, by the plan or the strategy. At least one thread is runnable; `thread` ran last, or
// is null.
Turn choose(Moment moment, Thread* thread);
void stop_for_debugger(const Thread* thread);
// What is wanted of the thread's next step before it takes it.
void stop_before_step(Thread* thread);

// Which threads can run. All with the lock held.
bool any_thread(Run run);
void unblock(Thread* thread, Woken woken);
void time_out(Thread* thread);
// Before a free choice of a random strategy: now and then a short time limit passes although others
// could go on, as on a busy machine.
void expire_by_chance();
[[noreturn]] void end_in_deadlock();
// Makes at least one thread runnable, or returns false if only external threads can help; a
// deadlock does not return. Others may have the lock in between.
bool make_runnable();
// A thread that yields again and again waits for another one, perhaps for a sleeping one. If it is
// alone, it waits for the next deadline; if all others also only yield, time passes ever faster.
void let_time_pass(Thread* thread);

// The plan. All with the lock held, but run_other_waiters.
// The thread whose turn it is, if it can run; null if the plan is over or was given up.
Thread* planned(Turn& turn);
// Counts what the thread has used of its budget; count_plan ends the process where the options say
// so.
void advance_plan(Thread* thread);
void count_plan(Thread* thread);
// It is the thread's turn, but it waits in code that is not instrumented, say at a barrier of
// OpenMP's library, for something that another does there. Those that wait as well go on up to
// their next step. False if there is none.
bool run_other_waiters(Thread* thread);

}  // namespace foretell::rt

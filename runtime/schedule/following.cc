// SPDX-License-Identifier: Apache-2.0

// Following a plan: a schedule that is forced on the program.
#include "runtime/platform/handlers.h"
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/schedule/debugger.h"
#include "runtime/schedule/ending.h"
#include "runtime/schedule/plan.h"
#include "runtime/schedule/stacks.h"
#include "runtime/schedule/state.h"
#include "runtime/threads/records.h"

namespace foretell::rt {

using recording::After;
using recording::Divergence;
using recording::Follow;

namespace {

void diverge(Divergence how, uint32_t thread) {
  header->divergence = static_cast<uint32_t>(how);
  header->divergence_thread = thread;
  header->divergence_step = plan.steps_done;
  header->schedule_steps = plan.steps_done;
  plan.give_up();
}

[[noreturn]] void stop_after_plan() {
  header->state = recording::State::stopped;
  end_suddenly(ExitStatus::done);
}

// Another one that can go on without taking a step.
Thread* other_yielding(const Thread* thread) {
  Thread* first = nullptr;
  bool behind = false;
  for (Thread* t = all_threads(); t; t = t->next) {
    behind |= t == thread;
    if (t == thread || !t->yielding || t->run != Run::runnable) continue;
    if (behind) return t;
    if (!first) first = t;
  }
  return first;
}

// The next step before which the thread that takes it has something else to do; 0: none.
uint64_t next_stop() {
  uint64_t next = 0;
  const uint64_t stops[] = {__foretell_pause_at, next_stack(), options.hold_after};
  for (const uint64_t stop : stops) {
    if (stop > plan.steps_done && (next == 0 || stop < next)) next = stop;
  }
  return next;
}

}  // namespace

Thread* planned(Turn& turn) {
  while (!plan.over()) {
    const PlanRun run = plan.run();
    Thread* thread = find_thread(run.thread);
    if (thread && thread->ahead > 0) {
      const uint64_t taken = thread->ahead < run.steps ? thread->ahead : run.steps;
      thread->ahead -= taken;
      plan.advance(taken);
      header->schedule_steps = plan.steps_done;
      if (plan.over() && options.after == After::stop) stop_after_plan();
      continue;
    }
    // Its next step comes after a wait that can time out: so that is what the schedule means.
    if (thread && thread->run == Run::blocked && thread->deadline != kForever) time_out(thread);
    if (thread && thread == waiting_to_end()) unblock(thread, Woken::notified);
    if (thread && thread->run == Run::runnable) {
      uint64_t budget = run.steps;
      const uint64_t stop = next_stop();
      if (stop > plan.steps_done + 1 && stop <= plan.steps_done + budget) {
        budget = stop - 1 - plan.steps_done;
      } else if (stop == plan.steps_done + 1) {
        sched.pause_pending = true;
        budget = 1;  // the debugger may want to stop before the next step too
      }
      turn = {thread, budget};
      return thread;
    }
    if (thread && thread->run == Run::external) return nullptr;
    if (options.follow == Follow::witness && !(thread && thread->run == Run::ended)) return nullptr;
    if (!thread) {
      diverge(Divergence::missing, run.thread);
    } else {
      diverge(thread->run == Run::ended ? Divergence::finished : Divergence::blocked, run.thread);
    }
  }
  return nullptr;
}

void advance_plan(Thread* thread) {
  if (plan.over()) return;
  if (sched.planned_thread != thread) {
    if (sched.planned_budget > thread->budget)
      thread->ahead += sched.planned_budget - thread->budget;
    sched.planned_budget = thread->budget;
    return;
  }
  plan.advance(sched.planned_budget - thread->budget);
  sched.planned_budget = thread->budget;
  header->schedule_steps = plan.steps_done;
}

void count_plan(Thread* thread) {
  if (plan.over()) return;
  advance_plan(thread);
  if (plan.over() && options.after == After::stop) stop_after_plan();
}

bool run_other_waiters(Thread* thread) {
  constexpr uint64_t kMostTries = 20'000;
  static uint64_t tries = 0, steps_then = 0;
  if (thread->steps_at_yield != thread->steps) {
    thread->steps_at_yield = thread->steps;
    return false;
  }
  os::Guard guard(sched.lock);
  if (steps_then != shared_stream.steps) tries = 0;
  steps_then = shared_stream.steps;
  // It waits for a step that the schedule has later: code that is not instrumented does.
  const bool waits_in_vain = ++tries > kMostTries;
  Thread* other = waits_in_vain ? nullptr : other_yielding(thread);
  if (!other && !waits_in_vain) return false;
  count_plan(thread);
  sched.planned_thread = nullptr;
  sched.planned_budget = 0;
  if (waits_in_vain) {
    diverge(Divergence::blocked, thread->id);
    return false;
  }
  thread->yielding = true;
  rest_stream(thread);
  other->budget = 0;
  pass_to(other);
  return true;
}

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/ending.h"

#include "runtime/platform/options.h"
#include "runtime/schedule/plan.h"
#include "runtime/schedule/state.h"

namespace foretell::rt {
namespace {

// A yield costs a switch between real threads. Virtual time passes faster with each of them: after
// this many, four seconds have passed.
constexpr uint64_t kMostYields = 1000;
constexpr uint64_t kMostIdleYields = 64;  // for each thread, without a step of any
// A thread that prints once a second should not print for an hour.
constexpr uint64_t kMostSleeps = 16;

struct Ending {
  Thread* thread = nullptr;  // the one that ends the process
  uint64_t last_step = 0;    // of all threads
  uint64_t yields = 0;
  uint64_t idle_yields = 0;  // since the last step
  uint64_t steps_then = 0;
  uint64_t sleeps = 0;
};
Ending ending_;

uint64_t threads_left() {
  uint64_t count = 0;
  for (const Thread* t = all_threads(); t; t = t->next) {
    count += t != ending_.thread && t->run != Run::ended;
  }
  return count;
}

void end_waiting() {
  unblock(ending_.thread, Woken::notified);
}

void end_waiting_at_bound() {
  header->cut_at_end = static_cast<uint32_t>(threads_left());
  end_waiting();
}

}  // namespace

bool begin_ending(Thread* thread) {
  os::Guard guard(sched.lock);
  if (ending_.thread) return ending_.thread == thread;
  ending_.thread = thread;
  ending_.last_step = shared_stream.steps + options.exit_steps;
  ending_.steps_then = shared_stream.steps;
  return true;
}

bool others_are_left(const Thread* thread) {
  os::Guard guard(sched.lock);
  for (const Thread* t = all_threads(); t; t = t->next) {
    if (t != thread && t->run != Run::ended) return true;
  }
  return false;
}

Thread* waiting_to_end() {
  Thread* thread = ending_.thread;
  const bool waits = thread && thread->run == Run::blocked && thread->wait == Wait::end;
  return waits ? thread : nullptr;
}

uint64_t budget_before_end(uint64_t budget) {
  if (!waiting_to_end() || !plan.over()) return budget;
  const uint64_t now = shared_stream.steps;
  const uint64_t left = ending_.last_step > now ? ending_.last_step - now : 1;
  return budget < left ? budget : left;
}

void check_bound_of_ending() {
  if (waiting_to_end() && plan.over() && shared_stream.steps >= ending_.last_step) {
    end_waiting_at_bound();
  }
}

void count_yield_before_end() {
  if (!waiting_to_end() || !plan.over()) return;
  if (ending_.steps_then != shared_stream.steps) ending_.idle_yields = 0;
  ending_.steps_then = shared_stream.steps;
  if (++ending_.idle_yields > kMostIdleYields * threads_left()) {
    end_waiting();
  } else if (++ending_.yields > kMostYields) {
    end_waiting_at_bound();
  }
}

bool may_wake_before_end(const Thread* sleeper) {
  if (!waiting_to_end()) return true;
  if (!sleeper) {
    end_waiting();
  } else if (++ending_.sleeps > kMostSleeps) {
    end_waiting_at_bound();
  } else {
    return true;
  }
  return false;
}

void forget_ending() {
  ending_ = Ending();
}

}  // namespace foretell::rt

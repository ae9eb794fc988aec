// SPDX-License-Identifier: Apache-2.0

// Which threads can run: threads that are woken, deadlines that pass, input from outside.
//
// Time is virtual. It advances with steps. If no thread can run, it jumps to the next deadline,
// unless input from outside may still arrive: then real time passes, tick by tick.
#include "runtime/platform/handlers.h"
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/schedule/ending.h"
#include "runtime/schedule/plan.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/state.h"

namespace foretell::rt {

void unblock(Thread* thread, Woken woken) {
  sched.yields = 0;
  thread->run = Run::runnable;
  thread->woken = woken;
  thread->wait = Wait::none;
  thread->wait_object = nullptr;
  thread->deadline = kForever;
  thread->ready = nullptr;
  thread->ready_outside = false;
}

bool any_thread(Run run) {
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == run) return true;
  }
  return false;
}

void time_out(Thread* thread) {
  const uint64_t now = sched.now();
  if (thread->deadline > now) sched.time_base += thread->deadline - now;
  unblock(thread, Woken::timed_out);
}

void expire_by_chance() {
  constexpr uint64_t kShortWaitNs = 1'000'000'000;  // longer ones end only if something is wrong
  constexpr uint64_t kOneIn = 16;
  if (options.strategy == recording::StrategyKind::round_robin) return;
  const uint64_t now = sched.now();
  Thread* first = nullptr;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run != Run::blocked || t->ready_outside || t->deadline > now + kShortWaitNs) continue;
    if (!first || t->deadline < first->deadline) first = t;
  }
  if (!first) return;
  static uint64_t state = options.seed;
  state = state * 6364136223846793005 + 1442695040888963407;
  if ((state >> 33) % kOneIn == 0) time_out(first);
}

namespace {

constexpr uint64_t kTick = 1'000'000;  // of real time, between two looks outside

void ask_ready() {
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run != Run::blocked) continue;
    if (t->ready && t->ready(t)) {
      unblock(t, Woken::notified);
    } else if (signal_waits(t)) {
      unblock(t, Woken::interrupted);
    }
  }
}

bool any_asks() {
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == Run::blocked && (t->ready || t->deadline != kForever)) return true;
  }
  return false;
}

bool asks_outside() {
  if (timers_armed) return true;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == Run::blocked && t->ready && t->ready_outside) return true;
  }
  return false;
}

Thread* earliest_deadline() {
  Thread* first = nullptr;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run != Run::blocked || t->deadline == kForever) continue;
    if (!first || t->deadline < first->deadline) first = t;
  }
  return first;
}

// Deadlines that have passed while others ran.
void expire() {
  const uint64_t now = sched.now();
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == Run::blocked && t->deadline <= now) time_out(t);
  }
}

// With sched.lock held, which others may have in between.
void wait_one_tick() {
  sched.idle = true;
  sched.lock.unlock();
  os::sleep_ns(kTick);
  sched.lock.lock();
  sched.idle = false;
  sched.time_base += kTick;
}

// With sched.lock held. The thread whose turn it is in the plan may wait for something outside: a
// client, a child process. The answer comes in its own time, and the schedule has no step for the
// waiting, so nobody else may go on meanwhile. Not for ever, because it may be that another thread
// was to answer and has not: then the run diverges.
void await_outside_for_plan() {
  constexpr uint64_t kLongestWaitNs = 3'000'000'000;
  if (plan.over() || options.follow == recording::Follow::witness) return;
  Thread* thread = find_thread(plan.run().thread);
  if (!thread) return;
  const auto waits = [&] {
    return thread->run == Run::blocked && thread->ready && thread->ready_outside &&
           thread->deadline > sched.now() && !thread->ready(thread) && !signal_waits(thread);
  };
  for (uint64_t waited = 0; waited < kLongestWaitNs && waits(); waited += kTick) wait_one_tick();
}

}  // namespace

void end_in_deadlock() {
  header->state = recording::State::deadlock;
  stop_for_debugger(sched.current);
  end_suddenly(ExitStatus::deadlock);
}

bool make_runnable() {
  signal_came = false;
  await_outside_for_plan();
  ask_ready();
  expire();
  while (!any_thread(Run::runnable)) {
    Thread* sleeper = earliest_deadline();
    if (waiting_to_end()) {
      if (may_wake_before_end(sleeper)) time_out(sleeper);
      continue;
    }
    bool outside = any_thread(Run::external);
    const bool asked = asks_outside();
    outside |= asked;
    if (sleeper && !outside) {
      time_out(sleeper);
    } else if (sleeper || outside) {
      // Something outside may still happen before the deadline: let real time pass.
      if (!sleeper && !asked) return false;
      wait_one_tick();
      ask_ready();
      if (sleeper && sleeper->run == Run::blocked && sleeper->deadline <= sched.now()) {
        time_out(sleeper);
      }
    } else {
      end_in_deadlock();
    }
  }
  sched.asks = sched.asks && any_asks();
  return true;
}

void let_time_pass(Thread* thread) {
  constexpr uint64_t kYieldTime = 1000;
  constexpr uint64_t kFastest = 20;
  const uint64_t rounds = ++sched.yields / 64;
  sched.time_base += kYieldTime << (rounds < kFastest ? rounds : kFastest);
  count_yield_before_end();
  if (any_thread(Run::external) || asks_outside()) return;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t != thread && t->run == Run::runnable) return;
  }
  Thread* sleeper = earliest_deadline();
  if (sleeper && may_wake_before_end(sleeper)) time_out(sleeper);
}

}  // namespace foretell::rt

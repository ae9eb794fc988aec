// Which threads can run: threads that are woken, deadlines that pass, input from outside.
//
// Time is virtual. It advances with steps. If no thread can run, it jumps to the next deadline,
// unless input from outside may still arrive: then real time passes, tick by tick.
#include "lock_owners.h"
#include "openmp/library.h"
#include "options.h"
#include "os.h"
#include "plan.h"
#include "scheduler_state.h"
#include "signals.h"

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

Thread* find_thread(uint32_t id) {
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->id == id) return t;
  }
  return nullptr;
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

namespace {

constexpr uint64_t kTick = 1'000'000;  // of real time, between two looks at the world

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
void let_world_go_on() {
  sched.idle = true;
  sched.lock.unlock();
  os::sleep_ns(kTick);
  sched.lock.lock();
  sched.idle = false;
  sched.time_base += kTick;
}

// With sched.lock held. The thread whose turn it is in the plan may wait for the world: a client, a
// child process. The world answers in its own time, and the schedule has no step for the waiting,
// so nobody else may go on meanwhile. Not for ever, because it may be that another thread was to
// answer and has not: then the run diverges.
void await_world_for_plan() {
  constexpr uint64_t kMost = 3'000'000'000;
  if (plan.over() || options.follow == 1) return;
  Thread* thread = find_thread(plan.run().thread);
  if (!thread) return;
  const auto waits = [&] {
    return thread->run == Run::blocked && thread->ready && thread->ready_outside &&
           thread->deadline > sched.now() && !thread->ready(thread) && !signal_waits(thread);
  };
  for (uint64_t waited = 0; waited < kMost && waits(); waited += kTick) let_world_go_on();
}

}  // namespace

void end_in_deadlock() {
  constexpr int kDeadlockStatus = 66;
  header->state = recording::State::deadlock;
  stop_for_debugger(sched.current);
  openmp::remove_announcement();
  os::exit_process(kDeadlockStatus);
}

bool make_runnable() {
  signal_came = false;
  await_world_for_plan();
  ask_ready();
  expire();
  while (!any_thread(Run::runnable)) {
    Thread* sleeper = earliest_deadline();
    bool outside = any_thread(Run::external);
    const bool asked = asks_outside();
    outside |= asked;
    if (sleeper && !outside) {
      time_out(sleeper);
    } else if (sleeper || outside) {
      // The world may still do something before the deadline: give it real time.
      if (!sleeper && !asked) return false;
      let_world_go_on();
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
  if (any_thread(Run::external) || asks_outside()) return;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t != thread && t->run == Run::runnable) return;
  }
  if (Thread* sleeper = earliest_deadline()) time_out(sleeper);
}

}  // namespace foretell::rt

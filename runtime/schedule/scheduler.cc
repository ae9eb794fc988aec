// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/scheduler.h"

#include "runtime/platform/handlers.h"
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/schedule/debugger.h"
#include "runtime/schedule/ending.h"
#include "runtime/schedule/lock_owners.h"
#include "runtime/schedule/plan.h"
#include "runtime/schedule/stacks.h"
#include "runtime/schedule/state.h"

namespace foretell::rt {

using recording::Why;

SchedulerState sched;
bool timers_armed = false;
volatile bool signal_came = false;

namespace {

uint64_t wait_order_ = 0;

StrategyStorage strategy_storage_;
Strategy* strategy_ = nullptr;
bool ignores_synchronization_ = false;  // the strategy does

// For the strategy: room for every thread that was admitted.
Candidate** runnable_ = nullptr;
size_t runnable_room_ = 0;

void make_room_for(const Thread* thread) {
  constexpr size_t kFirstRoom = 64;
  if (thread->number < runnable_room_) return;
  if (runnable_) os::release(runnable_, runnable_room_ * sizeof *runnable_);
  runnable_room_ = thread->number < kFirstRoom ? kFirstRoom : 2 * size_t{thread->number};
  runnable_ = static_cast<Candidate**>(os::allocate(runnable_room_ * sizeof *runnable_));
  if (runnable_) return;
  os::complain("out of memory");
  os::exit_process(ExitStatus::internal_error);
}

Turn ask_strategy(Moment moment, Thread* thread) {
  size_t count = 0;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == Run::runnable) runnable_[count++] = t;
  }
  const Choice choice =
      strategy_->choose({moment, runnable_, count, thread, thread ? thread->budget : 0});
  return {static_cast<Thread*>(runnable_[choice.index]), choice.budget};
}

void take_stream(Thread* thread) {
  ForetellThread* slots = thread->slots;
  slots->cursor = sched.cursor;
  slots->fuel = 0;
  thread->given = 0;
  refuel(thread);
  if (sched.recorded != thread) {
    sched.recorded = thread;
    store(slots->cursor, Op::Switch, 0, thread->id, 0);
  }
}

// Sleeps until the token comes, and takes the stream up.
void await_turn(Thread* thread) {
  while (__atomic_load_n(&thread->turn, __ATOMIC_ACQUIRE) == 0) os::futex_wait(&thread->turn, 0);
  __atomic_store_n(&thread->turn, 0, __ATOMIC_RELAXED);
  take_stream(thread);
  if (sched.pause_pending) stop_before_step(thread);
}

// The thread has the token and sched.lock, and gives both up unless it is chosen again.
void reschedule(Thread* thread, Moment moment) {
  if (!make_runnable()) {
    rest_stream(thread);
    sched.current = nullptr;
    sched.lock.unlock();
    if (thread->run != Run::ended && thread->run != Run::external) await_turn(thread);
    return;
  }
  const Turn turn = choose(moment, thread);
  turn.thread->budget = turn.budget;
  if (turn.thread == thread) {
    sched.lock.unlock();
    refuel(thread);
    if (sched.pause_pending) stop_before_step(thread);
    return;
  }
  rest_stream(thread);
  pass_to(turn.thread);
  sched.lock.unlock();
  if (thread->run == Run::runnable || thread->run == Run::blocked) await_turn(thread);
}

}  // namespace

void rest_stream(Thread* thread) {
  sched.cursor = thread->slots->cursor;
  off_stream(thread);
}

void pass_to(Thread* next) {
  sched.current = next;
  sched.grants++;
  __atomic_store_n(&next->turn, 1, __ATOMIC_RELEASE);
  os::futex_wake(&next->turn, 1);
}

void stop_for_debugger(const Thread* thread) {
  tell_debugger(thread, plan.steps_done);
}

void stop_before_step(Thread* thread) {
  sched.pause_pending = false;
  const uint64_t step = plan.steps_done + 1;
  // The unwinder calls functions that the runtime intercepts; what they do is no step.
  thread->inside++;
  write_stack(step);
  thread->inside--;
  if (__foretell_pause_at == step) stop_for_debugger(thread);
  if (options.hold_after == step && thread->filtering.regions) {
    thread->is_held = true;
    stop_at_hit(thread, options.hold_reads);
  }
}

Turn choose(Moment moment, Thread* thread) {
  Turn turn{};
  const bool is_planned = !plan.over() && planned(turn);
  follows_schedule = !plan.over();
  if (is_planned) {
    sched.planned_thread = turn.thread;
    sched.planned_budget = turn.budget;
    return turn;
  }
  sched.planned_thread = nullptr;
  check_bound_of_ending();
  if (plan.over()) expire_by_chance();
  turn = ask_strategy(moment, thread);
  turn.budget = budget_before_end(turn.budget);
  // While the plan waits for a thread, the others go one step at a time.
  if (!plan.over()) turn.budget = 1;
  sched.planned_budget = turn.budget;
  return turn;
}

void start_scheduler() {
  start_owners();
  start_stacks();
  __foretell_pause_at = options.pause_at;
  sched.time_base = options.time ? options.time : os::clock_ns(CLOCK_REALTIME);
  header->start_time_ns = sched.time_base;
  if (*options.schedule && !plan.runs) load_plan(options.schedule);
  Thread* first = all_threads();
  first->run = Run::runnable;
  const StrategyParameters parameters{.seed = options.seed,
                                      .quantum = options.quantum,
                                      .depth = options.depth,
                                      .length = options.length};
  strategy_ = make_strategy(options.strategy, parameters, strategy_storage_);
  strategy_->on_start(*first);
  ignores_synchronization_ = strategy_->ignores_synchronization();
  make_room_for(first);
  sched.current = first;
  os::Guard guard(sched.lock);
  // The first thread is the only one there is.
  first->budget = choose(Moment::gone, first).budget;
  take_stream(first);
}

namespace {

void forget_schedule() {
  sched.lock = os::Lock();
  sched.current = sched.recorded = sched.planned_thread = nullptr;
  sched.cursor = nullptr;
  sched.pause_pending = sched.asks = sched.idle = false;
  plan.give_up();
  forget_ending();
}
FORETELL_IN_FORKED_CHILD(forget_schedule);

}  // namespace

void count_last_steps() {
  Thread* thread = attached_thread;
  if (mode == Mode::parallel || !thread) return;
  os::Guard guard(sched.lock);
  if (sched.current != thread) return;
  count_steps(thread);
  advance_plan(thread);
}

// Whether it is certain, without looking at any thread, that the one that synchronizes goes on: no
// other can have become runnable but by its steps, and it would not be chosen.
bool goes_on(const Thread* thread) {
  if (sched.planned_thread == thread) return true;
  return ignores_synchronization_ && plan.over() && !sched.asks && !signal_came;
}

void decide(Thread* thread, bool synchronizes) {
  // With fuel there is a budget, and room in the chunk.
  const bool has_budget = counts_work() ? thread->slots->work > 0 : thread->slots->fuel > 0;
  if (synchronizes && has_budget && goes_on(thread)) return;
  refuel(thread);
  if (thread->budget > 0 && (!synchronizes || sched.planned_thread == thread)) return;
  sched.lock.lock();
  count_plan(thread);
  thread->pending = synchronizes ? Pending::synchronization : Pending::step;
  reschedule(thread, thread->budget == 0 ? Moment::budget_over : Moment::synchronization);
}

// What other waits are about stands in the step before them: Request, WaitBegin, BarrierEnter.
void record_wait(Thread* thread, Wait wait, const void* object) {
  using recording::Awaited;
  auto record = [&](Awaited awaited, const void* address) {
    put(thread, Op::Blocked, thread->call_site, address, static_cast<uint64_t>(awaited));
  };
  if (wait == Wait::semaphore) record(Awaited::semaphore, object);
  if (wait == Wait::futex) record(Awaited::futex, object);
  if (wait == Wait::once) record(Awaited::once, object);
  if (wait == Wait::thread) {
    const uint64_t number = static_cast<const Thread*>(object)->id;
    record(Awaited::thread, reinterpret_cast<const void*>(number));
  }
}

void suspend(Thread* thread, Wait wait, const void* object, uint64_t deadline) {
  record_wait(thread, wait, object);
  count_steps(thread);
  sched.lock.lock();
  count_plan(thread);
  thread->pending = Pending::resumption;
  thread->run = Run::blocked;
  thread->wait = wait;
  thread->wait_object = object;
  thread->wait_order = ++wait_order_;
  sched.yields = 0;
  thread->deadline = deadline;
  sched.asks |= deadline != kForever || thread->ready;
  if (thread->cancelled && thread->interruptible && !thread->cancel_disabled) {
    unblock(thread, Woken::cancelled);
  }
  if (wait == Wait::lock && closes_cycle(thread)) end_in_deadlock();
  reschedule(thread, Moment::gone);
}

void interrupt(Thread* target, Woken why) {
  os::Guard guard(sched.lock);
  if (target->run != Run::blocked || !target->slots) return;
  if (why == Woken::interrupted || target->interruptible) unblock(target, why);
}

// Of those blocked on the object.
Thread* longest_waiting(Wait wait, const void* object) {
  Thread* oldest = nullptr;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run != Run::blocked || t->wait != wait || t->wait_object != object) continue;
    if (!oldest || t->wait_order < oldest->wait_order) oldest = t;
  }
  return oldest;
}

uint32_t wake(Wait wait, const void* object, uint32_t count, uint64_t ticket) {
  // Mostly nobody waits, and nobody begins to while the caller has the token.
  if (!longest_waiting(wait, object)) return 0;
  os::Guard guard(sched.lock);
  uint32_t woken = 0;
  for (; woken < count; woken++) {
    Thread* oldest = longest_waiting(wait, object);
    if (!oldest) break;
    oldest->ticket = ticket;
    unblock(oldest, Woken::notified);
  }
  return woken;
}

uint32_t waiting(Wait wait, const void* object) {
  os::Guard guard(sched.lock);
  uint32_t n = 0;
  for (Thread* t = all_threads(); t; t = t->next) {
    n += t->run == Run::blocked && t->wait == wait && t->wait_object == object;
  }
  return n;
}

void yield(Thread* thread) {
  count_steps(thread);
  if (sched.planned_thread == thread && thread->budget > 0) {
    if (!run_other_waiters(thread)) return;
    await_turn(thread);
  } else {
    sched.lock.lock();
    count_plan(thread);
    let_time_pass(thread);
    thread->yielding = true;
    thread->pending = Pending::yield;
    reschedule(thread, Moment::yielded);
  }
  thread->yielding = false;
}

void hold(Thread* thread) {
  count_steps(thread);
  if (thread->budget > 0) return;
  sched.lock.lock();
  count_plan(thread);
  thread->pending = Pending::yield;
  reschedule(thread, Moment::budget_over);
}

void leave_control(Thread* thread) {
  count_steps(thread);
  sched.lock.lock();
  count_plan(thread);
  thread->run = Run::external;
  thread->pending = Pending::outside;
  reschedule(thread, Moment::gone);
}

void enter_control(Thread* thread, Why why) {
  sched.lock.lock();
  thread->run = Run::runnable;
  thread->lost = false;
  header->uncontrolled++;
  if (!sched.current) {
    const Turn turn = choose(Moment::gone, thread);
    turn.thread->budget = turn.budget;
    pass_to(turn.thread);
  }
  sched.lock.unlock();
  await_turn(thread);
  put(thread, Op::External, 0, nullptr, static_cast<uint64_t>(why));
}

void give_up_token(Thread* thread) {
  count_steps(thread);
  sched.lock.lock();
  count_plan(thread);
  thread->run = Run::ended;
  // Who waits for a lock it still holds must look again: the lock may be a robust one.
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == Run::blocked && t->wait == Wait::lock && owner_of(t->wait_object) == thread) {
      unblock(t, Woken::notified);
    }
  }
  bool left = false;
  for (Thread* t = all_threads(); t; t = t->next) left |= t->run != Run::ended;
  if (!left) {
    rest_stream(thread);
    sched.current = nullptr;
    sched.lock.unlock();
    return;
  }
  reschedule(thread, Moment::gone);
}

void admit(Thread* thread) {
  os::Guard guard(sched.lock);
  make_room_for(thread);
  strategy_->on_start(*thread);
  thread->run = Run::runnable;
}

void await_first_turn(Thread* thread) {
  {
    os::Guard guard(sched.lock);
    // A thread that nobody forked under our eyes may arrive when nobody runs.
    if (!sched.current) {
      thread->budget = choose(Moment::gone, thread).budget;
      pass_to(thread);
    }
  }
  await_turn(thread);
}

uint64_t virtual_now() {
  constexpr uint64_t kCallTime = 1000;
  Thread* thread = attached_thread;
  if (!thread || mode == Mode::parallel) return os::clock_ns(CLOCK_REALTIME);
  count_steps(thread);
  sched.time_base += kCallTime;
  return sched.now();
}

uint64_t deadline_in(uint64_t nanoseconds) {
  const uint64_t now = virtual_now();
  return nanoseconds > kForever - 1 - now ? kForever - 1 : now + nanoseconds;
}

}  // namespace foretell::rt

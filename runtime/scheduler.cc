#include "scheduler.h"

#include "debugger.h"
#include "keeper.h"
#include "lock_owners.h"
#include "openmp/library.h"
#include "options.h"
#include "os.h"
#include "plan.h"
#include "signals.h"
#include "strategy.h"

namespace foretell::rt {

using recording::Divergence;
using recording::State;
using recording::Why;

namespace {

// What one step may store besides its own record: Switch, Sequence, External.
constexpr ptrdiff_t kSlack = 4 * recording::kMaxRecord;
constexpr int kDeadlockStatus = 66;
constexpr uint64_t kStepTime = 20;  // virtual nanoseconds a step takes

// lock_ protects current_, the threads' run states and the plan's hand-over. Stream and cursor
// belong to the holder of the token; while it is being passed they are at rest here.
os::Lock lock_;
Thread* current_ = nullptr;  // null: everybody is blocked or external
Stream stream_;
char* cursor_ = nullptr;
Thread* recorded_ = nullptr;  // the thread the last Switch record names
uint64_t wait_order_ = 0;
uint64_t steps_ = 0;      // of all threads, up to the last settling
uint64_t time_base_ = 0;  // virtual time, less steps
uint64_t grants_ = 0;     // how often the token changed hands, for the watchdog
uint64_t yields_ = 0;     // since a thread was last blocked or woken
bool pause_pending_ = false;
bool asks_ = false;  // a thread may be blocked that has a deadline or a question (ready)
bool ignores_synchronization_ = false;  // the strategy does
bool idle_ = false;                     // the holder of the token waits for the world, here

void take_stream(Thread* thread) {
  ForetellThread* slots = thread->slots;
  slots->cursor = cursor_;
  slots->fuel = 0;
  thread->given = 0;
  refuel(thread);
  if (recorded_ != thread) {
    recorded_ = thread;
    store(slots->cursor, Op::Switch, 0, thread->id, 0);
  }
}

void rest_stream(Thread* thread) {
  cursor_ = thread->slots->cursor;
  off_stream(thread);
}

void pass_to(Thread* next) {
  current_ = next;
  grants_++;
  __atomic_store_n(&next->turn, 1, __ATOMIC_RELEASE);
  os::futex_wake(&next->turn, 1);
}

void stop_for_debugger(const Thread* thread) {
  pause_pending_ = false;
  tell_debugger(thread, plan.steps_done);
}

// Sleeps until the token comes, and takes the stream up.
void await_turn(Thread* thread) {
  while (__atomic_load_n(&thread->turn, __ATOMIC_ACQUIRE) == 0) os::futex_wait(&thread->turn, 0);
  __atomic_store_n(&thread->turn, 0, __ATOMIC_RELAXED);
  take_stream(thread);
  if (pause_pending_) stop_for_debugger(thread);
}

void unblock(Thread* thread, Woken woken) {
  yields_ = 0;
  thread->run = Run::runnable;
  thread->woken = woken;
  thread->wait = Wait::none;
  thread->wait_object = nullptr;
  thread->deadline = kForever;
  thread->ready = nullptr;
  thread->ready_outside = false;
}

Thread* find(uint32_t id) {
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->id == id) return t;
  }
  return nullptr;
}

bool any(Run run) {
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == run) return true;
  }
  return false;
}

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

void time_out(Thread* thread) {
  const uint64_t now = time_base_ + steps_ * kStepTime;
  if (thread->deadline > now) time_base_ += thread->deadline - now;
  unblock(thread, Woken::timed_out);
}

// Deadlines that have passed while others ran.
void expire() {
  const uint64_t now = time_base_ + steps_ * kStepTime;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t->run == Run::blocked && t->deadline <= now) time_out(t);
  }
}

constexpr uint64_t kTick = 1'000'000;  // of real time, between two looks at the world

// With lock_ held, which others may have in between.
void let_world_go_on() {
  idle_ = true;
  lock_.unlock();
  os::sleep_ns(kTick);
  lock_.lock();
  idle_ = false;
  time_base_ += kTick;
}

// With lock_ held. The thread whose turn it is in the plan may wait for the world: a client, a
// child process. The world answers in its own time, and the schedule has no step for the waiting,
// so nobody else may go on meanwhile. Not for ever, because it may be that another thread was to
// answer and has not: then the run diverges.
void await_world_for_plan() {
  constexpr uint64_t kMost = 3'000'000'000;
  if (plan.over() || options.follow == 1) return;
  Thread* thread = find(plan.run().thread);
  if (!thread) return;
  const auto waits = [&] {
    return thread->run == Run::blocked && thread->ready && thread->ready_outside &&
           thread->deadline > time_base_ + steps_ * kStepTime && !thread->ready(thread) &&
           !signal_waits(thread);
  };
  for (uint64_t waited = 0; waited < kMost && waits(); waited += kTick) let_world_go_on();
}

[[noreturn]] void end_in_deadlock() {
  header->state = State::deadlock;
  stop_for_debugger(current_);
  openmp::remove_announcement();
  os::exit_process(kDeadlockStatus);
}

// With lock_ held. Makes at least one thread runnable, or returns false if only external threads
// can help; a deadlock does not return.
bool make_runnable() {
  signal_came = false;
  await_world_for_plan();
  ask_ready();
  expire();
  while (!any(Run::runnable)) {
    Thread* sleeper = earliest_deadline();
    bool outside = any(Run::external);
    const bool asked = asks_outside();
    outside |= asked;
    if (sleeper && !outside) {
      time_out(sleeper);
    } else if (sleeper || outside) {
      // The world may still do something before the deadline: give it real time.
      if (!sleeper && !asked) return false;
      let_world_go_on();
      ask_ready();
      if (sleeper && sleeper->run == Run::blocked &&
          sleeper->deadline <= time_base_ + steps_ * kStepTime) {
        time_out(sleeper);
      }
    } else {
      end_in_deadlock();
    }
  }
  asks_ = asks_ && any_asks();
  return true;
}

void diverge(Divergence how, uint32_t thread) {
  header->divergence = static_cast<uint32_t>(how);
  header->divergence_thread = thread;
  header->divergence_step = plan.steps_done;
  header->schedule_steps = plan.steps_done;
  plan.give_up();
}

[[noreturn]] void stop_after_plan() {
  header->state = State::stopped;
  openmp::remove_announcement();
  os::exit_process(0);
}

// The thread whose turn it is in the plan, if it can go on; null if the plan is over or was given
// up.
Thread* planned(Choice& choice) {
  while (!plan.over()) {
    const PlanRun run = plan.run();
    Thread* thread = find(run.thread);
    if (thread && thread->ahead > 0) {
      const uint64_t taken = thread->ahead < run.steps ? thread->ahead : run.steps;
      thread->ahead -= taken;
      plan.advance(taken);
      header->schedule_steps = plan.steps_done;
      if (plan.over() && options.after == 1) stop_after_plan();
      continue;
    }
    // Its next step comes after a wait that can time out: so that is what the schedule means.
    if (thread && thread->run == Run::blocked && thread->deadline != kForever) time_out(thread);
    if (thread && thread->run == Run::runnable) {
      uint64_t budget = run.steps;
      const uint64_t pause_at = __foretell_pause_at;
      if (pause_at > plan.steps_done + 1 && pause_at <= plan.steps_done + budget) {
        budget = pause_at - 1 - plan.steps_done;
      } else if (pause_at == plan.steps_done + 1) {
        pause_pending_ = true;
        budget = 1;  // the debugger may want to stop before the next step too
      }
      choice = {thread, budget};
      return thread;
    }
    if (thread && thread->run == Run::external) return nullptr;
    if (options.follow == 1 && !(thread && thread->run == Run::ended)) return nullptr;
    if (!thread) {
      diverge(Divergence::missing, run.thread);
    } else {
      diverge(thread->run == Run::ended ? Divergence::finished : Divergence::blocked, run.thread);
    }
  }
  return nullptr;
}

// What a plan hands out one run at a time is counted when it has been used.
uint64_t planned_budget_ = 0;
Thread* planned_thread_ = nullptr;

void advance_plan(Thread* thread) {
  if (plan.over()) return;
  if (planned_thread_ != thread) {
    if (planned_budget_ > thread->budget) thread->ahead += planned_budget_ - thread->budget;
    planned_budget_ = thread->budget;
    return;
  }
  plan.advance(planned_budget_ - thread->budget);
  planned_budget_ = thread->budget;
  header->schedule_steps = plan.steps_done;
}

void count_plan(Thread* thread) {
  if (plan.over()) return;
  advance_plan(thread);
  if (plan.over() && options.after == 1) stop_after_plan();
}

// With lock_ held and a runnable thread there.
Choice choose(Moment moment, Thread* thread) {
  Choice choice{};
  if (!plan.over() && planned(choice)) {
    planned_thread_ = choice.thread;
    planned_budget_ = choice.budget;
    return choice;
  }
  planned_thread_ = nullptr;
  choice = chosen_strategy().choose(moment, thread, thread ? thread->budget : 0);
  // While the plan waits for a thread, the others go one step at a time.
  if (!plan.over()) choice.budget = 1;
  planned_budget_ = choice.budget;
  return choice;
}

// The thread has the token and lock_, and gives both up unless it is chosen again.
void reschedule(Thread* thread, Moment moment) {
  if (!make_runnable()) {
    rest_stream(thread);
    current_ = nullptr;
    lock_.unlock();
    if (thread->run != Run::ended && thread->run != Run::external) await_turn(thread);
    return;
  }
  const Choice choice = choose(moment, thread);
  choice.thread->budget = choice.budget;
  if (choice.thread == thread) {
    lock_.unlock();
    refuel(thread);
    if (pause_pending_) stop_for_debugger(thread);
    return;
  }
  rest_stream(thread);
  pass_to(choice.thread);
  lock_.unlock();
  if (thread->run == Run::runnable || thread->run == Run::blocked) await_turn(thread);
}

}  // namespace

void start_scheduler() {
  start_owners();
  __foretell_pause_at = options.pause_at;
  time_base_ = options.time ? options.time : os::clock_ns(CLOCK_REALTIME);
  header->start_time_ns = time_base_;
  if (*options.schedule && !plan.runs) load_plan(options.schedule);
  Thread* first = all_threads();
  first->run = Run::runnable;
  chosen_strategy().on_start(first);
  ignores_synchronization_ = chosen_strategy().ignores_synchronization();
  current_ = first;
  os::Guard guard(lock_);
  const Choice choice = choose(Moment::gone, first);
  // The first thread is the only one there is.
  first->budget = choice.budget;
  take_stream(first);
}

void forget_schedule() {
  lock_ = os::Lock();
  current_ = recorded_ = planned_thread_ = nullptr;
  stream_ = Stream();
  cursor_ = nullptr;
  pause_pending_ = asks_ = idle_ = false;
  plan.give_up();
}

void count_steps(Thread* thread) {
  const uint64_t taken = thread->given - static_cast<uint64_t>(thread->slots->fuel);
  thread->steps += taken;
  thread->budget -= taken < thread->budget ? taken : thread->budget;
  thread->given -= taken;
  steps_ += taken;
}

void count_last_steps() {
  Thread* thread = self();
  if (mode == Mode::parallel || !thread) return;
  os::Guard guard(lock_);
  if (current_ != thread) return;
  count_steps(thread);
  advance_plan(thread);
}

void refuel(Thread* thread) {
  ForetellThread* slots = thread->slots;
  Stream& stream = mode == Mode::controlled ? stream_ : thread->stream;
  count_steps(thread);
  Filtering& filtering = thread->filtering;
  if (thread->steps >= filtering.next_look) look_at_filter(thread);
  aim_filter(thread);
  if (!stream.chunk || stream.end() - slots->cursor < 2 * kSlack) {
    next_chunk(stream, slots->cursor);
    slots->cursor = stream.begin();
  }
  const auto room =
      static_cast<uint64_t>(stream.end() - slots->cursor - kSlack) / recording::kMaxCompact;
  const uint64_t most = filtering.next_look - thread->steps;
  thread->given = thread->budget < room ? thread->budget : room;
  if (most < thread->given) thread->given = most;
  slots->fuel = static_cast<int64_t>(thread->given);
}

// Whether it is certain, without looking at any thread, that the one that synchronizes goes on: no
// other can have become runnable but by its steps, and it would not be chosen.
bool goes_on(const Thread* thread) {
  if (planned_thread_ == thread) return true;
  return ignores_synchronization_ && plan.over() && !asks_ && !signal_came;
}

void decide(Thread* thread, bool synchronizes) {
  // With fuel there is a budget, and room in the chunk.
  if (synchronizes && thread->slots->fuel > 0 && goes_on(thread)) return;
  refuel(thread);
  if (thread->budget > 0 && (!synchronizes || planned_thread_ == thread)) return;
  lock_.lock();
  count_plan(thread);
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

Woken block(Thread* thread, Wait wait, const void* object, uint64_t deadline) {
  record_wait(thread, wait, object);
  count_steps(thread);
  lock_.lock();
  count_plan(thread);
  thread->run = Run::blocked;
  thread->wait = wait;
  thread->wait_object = object;
  thread->wait_order = ++wait_order_;
  yields_ = 0;
  thread->deadline = deadline;
  asks_ |= deadline != kForever || thread->ready;
  if (thread->cancelled && thread->interruptible && !thread->cancel_disabled) {
    unblock(thread, Woken::cancelled);
  }
  if (wait == Wait::lock && closes_cycle(thread)) end_in_deadlock();
  reschedule(thread, Moment::gone);
  if (signal_waits(thread)) thread->restarts = !handle_signals(thread);
  return thread->woken;
}

void interrupt(Thread* target, Woken why) {
  os::Guard guard(lock_);
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
  os::Guard guard(lock_);
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
  os::Guard guard(lock_);
  uint32_t n = 0;
  for (Thread* t = all_threads(); t; t = t->next) {
    n += t->run == Run::blocked && t->wait == wait && t->wait_object == object;
  }
  return n;
}

// Who yields again and again waits for somebody, perhaps for a sleeper. Alone, it waits for the
// next deadline; among others that also only yield, time passes faster and faster.
void let_time_pass(Thread* thread) {
  constexpr uint64_t kYieldTime = 1000;
  constexpr uint64_t kFastest = 20;
  const uint64_t rounds = ++yields_ / 64;
  time_base_ += kYieldTime << (rounds < kFastest ? rounds : kFastest);
  if (any(Run::external) || asks_outside()) return;
  for (Thread* t = all_threads(); t; t = t->next) {
    if (t != thread && t->run == Run::runnable) return;
  }
  if (Thread* sleeper = earliest_deadline()) time_out(sleeper);
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

// It is the thread's turn in the plan, but it waits in code that is not instrumented, say at a
// barrier of OpenMP's library, for something that another does there. Those that wait as well go on
// up to their next step. False if there is none.
bool let_others_help(Thread* thread) {
  constexpr uint64_t kInVain = 20'000;
  static uint64_t tries = 0, steps_then = 0;
  if (thread->steps_at_yield != thread->steps) {
    thread->steps_at_yield = thread->steps;
    return false;
  }
  os::Guard guard(lock_);
  if (steps_then != steps_) tries = 0;
  steps_then = steps_;
  Thread* other = other_yielding(thread);
  if (!other) return false;
  count_plan(thread);
  planned_thread_ = nullptr;
  planned_budget_ = 0;
  if (++tries > kInVain) {
    diverge(Divergence::blocked, thread->id);
    return false;
  }
  thread->yielding = true;
  rest_stream(thread);
  other->budget = 0;
  pass_to(other);
  return true;
}

void yield(Thread* thread) {
  count_steps(thread);
  if (planned_thread_ == thread && thread->budget > 0) {
    if (!let_others_help(thread)) return;
    await_turn(thread);
  } else {
    lock_.lock();
    count_plan(thread);
    let_time_pass(thread);
    thread->yielding = true;
    reschedule(thread, Moment::yielded);
  }
  thread->yielding = false;
}

void leave_control(Thread* thread) {
  count_steps(thread);
  lock_.lock();
  count_plan(thread);
  thread->run = Run::external;
  reschedule(thread, Moment::gone);
}

void enter_control(Thread* thread, Why why) {
  lock_.lock();
  thread->run = Run::runnable;
  thread->lost = false;
  header->uncontrolled++;
  if (!current_) {
    const Choice choice = choose(Moment::gone, thread);
    choice.thread->budget = choice.budget;
    pass_to(choice.thread);
  }
  lock_.unlock();
  await_turn(thread);
  put(thread, Op::External, 0, nullptr, static_cast<uint64_t>(why));
}

void give_up_token(Thread* thread) {
  count_steps(thread);
  lock_.lock();
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
    current_ = nullptr;
    lock_.unlock();
    return;
  }
  reschedule(thread, Moment::gone);
}

void admit(Thread* thread) {
  os::Guard guard(lock_);
  chosen_strategy().on_start(thread);
  thread->run = Run::runnable;
}

void await_first_turn(Thread* thread) {
  {
    os::Guard guard(lock_);
    // A thread that nobody forked under our eyes may arrive when nobody runs.
    if (!current_) {
      thread->budget = choose(Moment::gone, thread).budget;
      pass_to(thread);
    }
  }
  await_turn(thread);
}

uint64_t virtual_now() {
  constexpr uint64_t kCallTime = 1000;
  Thread* thread = self();
  if (!thread || mode == Mode::parallel) return os::clock_ns(CLOCK_REALTIME);
  count_steps(thread);
  time_base_ += kCallTime;
  return time_base_ + steps_ * kStepTime;
}

uint64_t deadline_in(uint64_t nanoseconds) {
  const uint64_t now = virtual_now();
  return nanoseconds > kForever - 1 - now ? kForever - 1 : now + nanoseconds;
}

void watch() {
  static Thread* seen = nullptr;
  static uint64_t seen_grants = 0;
  static const char* seen_cursor = nullptr;
  static uint64_t seen_hits = 0;
  static uint64_t asleep_ms = 0;
  static uint64_t since_cpu = 0;
  Thread* holder = __atomic_load_n(&current_, __ATOMIC_ACQUIRE);
  if (!holder || !holder->slots) return;
  const char* cursor = __atomic_load_n(&holder->slots->cursor, __ATOMIC_RELAXED);
  const uint64_t hits = __atomic_load_n(&holder->filtering.hits, __ATOMIC_RELAXED);
  const uint64_t cpu = thread_cpu_ns(holder->os_id);
  if (holder != seen || seen_grants != grants_ || cursor != seen_cursor || hits != seen_hits) {
    seen = holder;
    seen_grants = grants_;
    seen_cursor = cursor;
    seen_hits = hits;
    asleep_ms = 0;
    since_cpu = cpu;
    return;
  }
  asleep_ms = thread_sleeps(holder->os_id) ? asleep_ms + kWatchPeriodMs : 0;
  constexpr uint64_t kLongComputation = 5'000'000'000;
  if (asleep_ms < options.watchdog_ms && cpu - since_cpu < kLongComputation) return;
  // Alone it harms nobody.
  os::Guard guard(lock_);
  if (idle_ || current_ != holder || grants_ != seen_grants || holder->slots->cursor != seen_cursor)
    return;
  bool others = false;
  for (Thread* t = all_threads(); t; t = t->next) {
    others |= t != holder && (t->run == Run::runnable || t->deadline != kForever);
  }
  if (!others) return;
  holder->run = Run::external;
  holder->lost = true;
  header->watchdog_count++;
  // Whatever it is doing, its next hook must come to us. It may be about to store one record.
  __atomic_store_n(&holder->slots->fuel, 0, __ATOMIC_RELEASE);
  abandon_chunk(stream_);
  cursor_ = stream_.begin();
  recorded_ = nullptr;
  planned_thread_ = nullptr;
  if (make_runnable()) {
    const Choice choice = choose(Moment::gone, nullptr);
    choice.thread->budget = choice.budget;
    pass_to(choice.thread);
  } else {
    current_ = nullptr;
  }
}

}  // namespace foretell::rt

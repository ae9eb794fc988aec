// SPDX-License-Identifier: Apache-2.0

// The watchdog: takes the token from a thread that is lost in uninstrumented code, asleep in the
// kernel or computing for long.
#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/platform/task_status.h"
#include "runtime/record/keeper.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/state.h"
#include "runtime/threads/records.h"

namespace foretell::rt {

void watch_for_lost_threads() {
  static Thread* seen = nullptr;
  static uint64_t seen_grants = 0;
  static const char* seen_cursor = nullptr;
  static uint64_t seen_hits = 0;
  static uint64_t asleep_ms = 0;
  static uint64_t since_cpu = 0;
  Thread* holder = __atomic_load_n(&sched.current, __ATOMIC_ACQUIRE);
  if (!holder || !holder->slots) return;
  const char* cursor = __atomic_load_n(&holder->slots->cursor, __ATOMIC_RELAXED);
  const uint64_t hits = __atomic_load_n(&holder->filtering.hits, __ATOMIC_RELAXED);
  const uint64_t cpu = thread_cpu_ns(holder->os_id);
  if (holder != seen || seen_grants != sched.grants || cursor != seen_cursor || hits != seen_hits) {
    seen = holder;
    seen_grants = sched.grants;
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
  os::Guard guard(sched.lock);
  if (sched.idle || sched.current != holder || sched.grants != seen_grants ||
      holder->slots->cursor != seen_cursor)
    return;
  bool others = false;
  for (Thread* t = all_threads(); t; t = t->next) {
    others |= t != holder && (t->run == Run::runnable || t->deadline != kForever);
  }
  if (!others) return;
  holder->run = Run::external;
  holder->pending = Pending::outside;
  holder->lost = true;
  header->watchdog_count++;
  // Whatever it is doing, its next hook must come to us. It may be about to store one record.
  __atomic_store_n(&holder->slots->fuel, 0, __ATOMIC_RELEASE);
  abandon_chunk(shared_stream.stream);
  sched.cursor = shared_stream.stream.begin();
  sched.recorded = nullptr;
  sched.planned_thread = nullptr;
  if (make_runnable()) {
    const Turn turn = choose(Moment::gone, nullptr);
    turn.thread->budget = turn.budget;
    pass_to(turn.thread);
  } else {
    sched.current = nullptr;
  }
}

}  // namespace foretell::rt

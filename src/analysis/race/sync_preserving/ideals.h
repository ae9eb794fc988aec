// SPDX-License-Identifier: Apache-2.0

// Ideals: for each thread, what must have happened for it to be where it is.
//
// The ideal of a set of events is the least set that contains it, a prefix of every thread with
// each event, and with each event what that event needs:
//
//   any event        the fork of its thread
//   read             the write it read from; atomic accesses likewise
//   access           the allocation of its location, and the last free of it before
//   join             all of the joined thread
//   down             the post that served it
//   leave            all enters of its barrier's generation; enter: those of the generation before
//   wake             the notify that served it
//   ambiguous read   something that never happens
//
// and, if synchronization is to keep its recorded order (docs/semantics.md, "Sync-preserving"),
//
//   second of two begins of sections
//     of one lock, not both shared         the end of the earlier section
//   failed try                             the begin of the section because of which it failed
//   notify that chose among several waits  the wait it chose
//   notify that did not find an earlier
//     wait of its condition                what ended the wait: the notify that served its wake,
//                                          or its wake if no notify served it
//
// In recorded order such a set is a correct reordering: every event finds what it found.
//
// A thread's steps are numbered so that events which are in the same ideals share a number: a step
// ends with each event that another thread may need and with each begin of a section. An event is
// in an ideal if its step number is at most the ideal's component for its thread.
//
// A thread's ideal changes only when it learns of an event outside it. The ideals are kept closed,
// so the rule of sections has to be looked at only for the sections that are open in the ideal
// (begun in it, not ended in it), of which each thread contributes at most those it holds.
//
// Cost: constant for most events; a change costs O(threads / 16 + open sections), also at a barrier,
// whose enters are united once for all who leave it. Memory grows with
// the trace: 44 bytes per critical section of a lock that threads share, 4 per step, and the
// clocks (step_clocks.h).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/race/sync_preserving/sections.h"
#include "analysis/race/sync_preserving/sharing.h"
#include "analysis/race/sync_preserving/step_clocks.h"
#include "base/dense_table.h"
#include "trace/event.h"

namespace foretell::analysis {

enum class SyncOrder : uint8_t { free, kept };

class Ideals {
 public:
  Ideals(const Sharing& sharing, const AnalysisOptions& options, SyncOrder order);

  // Any event but an access.
  void on_sync(const trace::Event& e);

  // An access, in three parts. After the first, ideal(e.thread) is what the access needs to race
  // as the later one; after the second, as the earlier one; after the third it has happened.
  // Accesses of a location without a place need only the third, and only if ambiguous.
  void need_allocation(const trace::Event& e, uint32_t place);
  void need_frees(const trace::Event& e, uint32_t place);
  void access(const trace::Event& e, uint32_t place, uint64_t write);
  void ambiguous_read(ThreadId thread);

  // The number of the step that the next event of the thread belongs to.
  Step now(ThreadId thread) const { return threads_[to_index(thread)].done + 1; }
  // The thread's ideal, without what it did itself.
  ClockId ideal(ThreadId thread) const { return threads_[to_index(thread)].clock; }
  bool contains(ThreadId owner, ThreadId thread, Step step) const {
    return clocks_.step(ideal(owner), to_index(thread)) >= step;
  }
  // False if an ambiguous read keeps the thread from ever getting here.
  bool is_reachable(ThreadId thread) const { return clocks_.step(ideal(thread), never_) == 0; }

  // An access that waits to be the earlier one of a race.
  struct Earlier {
    ThreadId thread;
    Step step;
    ClockId ideal;
  };
  // Whether both hold a lock that excludes one of them.
  bool exclude_each_other(const Earlier& earlier, ThreadId later) const;
  // Whether the ideal of both contains neither: then it leads to a state where both are next.
  bool can_meet(const Earlier& earlier, ThreadId later);

  // A wake of a notified wait, before it happens: the ideal is then what it needs to be next.
  void need_notify(const trace::Event& wake);

  // After the last event: the least closed set that contains what must happen for threads to be
  // where these are next, which grows with each call. False if it contains what never happens.
  bool gather(std::span<const Earlier> stops);
  bool is_gathered(ThreadId thread, Step step) const {
    return work_.steps[to_index(thread)] >= step;
  }
  void forget_gathered();

  size_t clock_count() const { return clocks_.clock_count(); }
  uint64_t changes() const { return changes_; }

 private:
  // "Everything up to this event": its own step, and the ideal it had.
  struct Point {
    ClockId clock = kEmptyClock;
    uint32_t thread = 0;
    Step step = 0;
  };
  enum class Mode : uint32_t { exclusive, shared, waiting };
  // A lock held, or a condition waited on: a list that shares its tails.
  struct Held {
    uint32_t outer;      // number of the next, 0 at the end
    uint32_t index;      // of the section, or number of the wait
    uint32_t lock : 30;  // unless waiting
    Mode mode : 2;
  };
  static_assert(sizeof(Held) == 12);
  struct Open {
    uint32_t thread;
    uint32_t held;
  };
  struct Thread {
    Step done = 0;
    ClockId clock = kEmptyClock;
    uint32_t held = 0;
    std::vector<uint32_t> held_after{0};  // by step
    std::vector<Open> open;               // sections of other threads that are open in the ideal
    uint32_t wait = 0;                    // number of the last one
  };
  struct Wait {
    uint32_t condition;
    std::optional<EventIndex> server;
    Point begin;
    Point end;                  // what ended it, once it has passed by
    uint32_t notifies_by_then;  // of the condition; valid with `end`
  };
  struct Condition {
    SectionHistory notifies;
    std::vector<uint32_t> unnotified;  // waits
  };
  // All enters of a generation as one closed set: made once, when the first thread leaves.
  struct Generation {
    uint64_t number;
    uint64_t inside = 0;
    std::vector<Point> enters;
    size_t united = 0;  // how many of them are in the set
    ClockId all = kEmptyClock;
    std::vector<Open> open;  // sections that are open in the set
  };
  struct Place {
    Point write, free, allocation;
    bool allocation_known = false;
  };
  // The set under construction.
  struct Work {
    std::vector<Step> steps;
    ClockId base = kEmptyClock;
    std::vector<uint32_t> joined;    // by row: the block that was joined last, or that of `base`
    std::vector<uint32_t> raised;    // components above `base`
    std::vector<uint8_t> is_raised;  // by component
  };

  Thread& thread_of(const trace::Event& e) { return threads_[to_index(e.thread)]; }
  Point end_step(uint32_t thread);
  void begin_section(const trace::Event& e, Mode mode);
  void end_section(const trace::Event& e);
  void keep_order_of_sections(const trace::Event& e);
  void failed_try(const trace::Event& e);
  void wait_begin(const trace::Event& e);
  void wait_end(const trace::Event& e);
  void notify(const trace::Event& e);
  void end_old_waits(const trace::Event& e);
  void barrier_enter(const trace::Event& e);
  void barrier_exit(const trace::Event& e);
  void need_all(uint32_t thread, std::span<const Point> points);
  void unite(Generation& generation);
  void need_generation(uint32_t thread, Generation& generation);
  bool is_within(ClockId a, ClockId b, uint32_t except) const;

  bool knows(uint32_t thread, const Point& point) const {
    return point.thread == thread ||
           clocks_.step(threads_[thread].clock, point.thread) >= point.step;
  }
  void need(uint32_t thread, const Point& point) {
    if (!knows(thread, point)) need_all(thread, {&point, 1});
  }
  void start(uint32_t thread);
  void start_empty();
  void add(const Point& point);
  void raise(size_t component, Step step);
  void join(ClockId clock);
  bool close(uint32_t own, std::span<const Open> open, uint32_t stop_thread, Step stop_step);
  bool close_thread(uint32_t thread);
  bool end_if_excluded(uint32_t thread, const Held& held);
  void forget_raised();
  void adopt(uint32_t thread);
  uint32_t push(Held held);
  uint32_t without(uint32_t list, uint32_t lock, uint32_t& index);

  const Sharing& sharing_;
  const bool keeps_order_;
  const std::function<EventIndex(LocationId)> allocation_of_;
  const std::function<bool(const trace::Event&)> may_read_another_;
  const size_t never_;  // the component of what never happens
  StepClocks clocks_;
  std::vector<Thread> threads_;
  std::vector<Held> held_;
  DenseTable<SectionHistory, LockId> locks_;
  DenseTable<Condition, ConditionId> conditions_;
  std::vector<Wait> waits_;
  DenseTable<std::vector<Generation>, BarrierId> barriers_;
  absl::flat_hash_map<EventIndex, Point> posts_;        // not consumed yet
  absl::flat_hash_map<EventIndex, Point> allocations_;  // that other threads need
  std::vector<Place> places_;
  Work work_;
  uint64_t changes_ = 0;
};

}  // namespace foretell::analysis

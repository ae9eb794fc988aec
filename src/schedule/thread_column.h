// SPDX-License-Identifier: Apache-2.0

// ThreadColumn: which thread took which step of a trace; schedules are cut from it.
//
// One pass over the raw events: their threads, run-length encoded, and who created whom. Memory
// grows with the number of thread switches, not with the number of events.
//
// A recording names its threads by their numbers (T0, T1, ...). In other traces numbers follow the
// order of the Fork events. A thread without a fork is the first thread or, if a trace has several
// of them, gets its number when it first appears.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/schedule.h"
#include "trace/reader.h"

namespace foretell::schedule {

class ThreadColumn {
 public:
  // Reads all raw events of `reader` from its beginning; leaves it rewound.
  static Result<ThreadColumn> read(trace::TraceReader& reader);

  // Raw events in order. After the last one, everything below may be asked.
  void add(std::span<const trace::Event> events);
  // After the last event: the numbers that the names of the threads tell, if they tell any.
  void take_numbers_from(const trace::TraceTables& tables);
  // Which accesses the trace has; all unless somebody says otherwise.
  void set_counted(Counted counted) { counted_ = counted; }

  uint64_t steps() const { return ends_.empty() ? 0 : ends_.back(); }
  ThreadId thread_of(EventIndex index) const;
  std::optional<ThreadNumber> number_of(ThreadId thread) const;
  // The thread that forked it, if any.
  std::optional<ThreadId> parent_of(ThreadId thread) const;
  // The thread's place among all that its parent forked, from 0.
  size_t rank_of(ThreadId thread) const;
  size_t thread_count() const { return rows_.size(); }

  // The first `steps` steps as recorded.
  Schedule prefix(uint64_t steps) const;
  Schedule whole() const { return prefix(steps()); }
  // Everything before `prefix_end` as recorded, then `tail`: a witness (finding/described_event.h).
  // A thread also takes the steps that `tail` leaves out, before its next step in it; the last
  // `at_end` steps of `tail` (or all) come after all others.
  Schedule of_witness(uint64_t prefix_end, std::span<const EventIndex> tail,
                      size_t at_end = 0) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct ThreadRow {
    uint32_t number = kNone;
    uint32_t parent = kNone;  // ThreadId
    uint32_t rank = 0;
    uint32_t children = 0;
  };
  // Of some threads: their steps since `begin`.
  class StepCount;
  ThreadRow& row(ThreadId thread);
  std::vector<ThreadParent> parents() const;

  std::vector<ThreadId> threads_;  // of each run
  std::vector<uint64_t> ends_;     // of each run, in steps
  std::vector<ThreadRow> rows_;    // by ThreadId
  uint32_t numbered_ = 0;
  Counted counted_ = Counted::all_accesses;
};

}  // namespace foretell::schedule

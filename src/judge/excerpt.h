// SPDX-License-Identifier: Apache-2.0

// Excerpt: a stretch of a long trace, made so that the judge can work on it as on a trace.
//
// A witness of a long trace begins with "everything before event N as recorded". So the judge needs
// the events from N on, and of what came before only the state it left behind. Three parts, in
// recorded order:
//   before `begin`  what opened the state: the acquires of the sections that are open at N, and for
//                   each thread that waits there its acquire, its wait and the notify that has
//                   reached it. These have happened in every reordering of the excerpt.
//   the stretch     all of its events.
//   from `end` on   the wakes of waits that are under way at the end. Whether a notify may happen
//                   depends on who wakes later. These never happen in a reordering of the excerpt.
// Nothing else of the rest of the trace matters to the rules of docs/semantics.md for accesses,
// locks, threads, conditions, barriers and semaphores: a write, fork, allocation, free, post or
// enter before N has happened, whichever it was. A reordering of the excerpt is a correct one
// exactly if it is one of the trace, behind the recorded run up to N (ExcerptVsOracle in
// tests/oracle). Nothing is refuted by an excerpt: other witnesses may leave the recorded run
// before N. Neither does it know the initial values, or who could help a thread that is stuck at
// something else than a lock.
//
// The recorded run up to N is a correct reordering unless it has an ambiguous read; then there is
// no excerpt.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "judge/interleaving.h"
#include "trace/trace.h"

namespace foretell::judge {

struct Excerpt {
  trace::Trace trace;  // of its cells only the allocations within the stretch are known
  Position begin = 0;
  Position end = 0;
};

// The events from `from` to `last`, both included.
struct Stretch {
  EventIndex from{}, last{};
};

// Finds the wakes of all waits that are under way at the ends of stretches, in a pass of its own.
class WaitFates {
 public:
  explicit WaitFates(std::span<const Stretch> stretches);

  void on_events(std::span<const trace::Event> batch);

  // The wake of a wait that is under way at an end; null if it never wakes.
  const trace::Event* wake_of(EventIndex wait) const;
  // Whether some of these wakes was served by this notify.
  bool is_awaited(EventIndex notify) const { return notifies_.contains(notify); }

 private:
  std::vector<EventIndex> bounds_;  // a wait is under way before this event; ascending
  absl::flat_hash_map<ThreadId, EventIndex> waiting_;
  absl::flat_hash_map<EventIndex, trace::Event> wakes_;  // by wait
  absl::flat_hash_set<EventIndex> notifies_;
};

// What the recorded run has opened and not closed so far.
class OpenState {
 public:
  void on_event(const trace::Event& e, const WaitFates& fates);

  // The first part of an excerpt that begins here.
  std::vector<trace::Event> opened(const WaitFates& fates) const;
  // The last part of one that ends here, before event `end`.
  std::vector<trace::Event> wakes(const WaitFates& fates, EventIndex end) const;
  EventIndex first_ambiguous() const { return first_ambiguous_; }

 private:
  struct Waiting {
    trace::Event section, wait;
  };
  trace::Event close_section(const trace::Event& e);

  absl::flat_hash_map<LockId, std::vector<trace::Event>>
      sections_;  // by the events that began them
  absl::flat_hash_map<ThreadId, Waiting> waiting_;
  absl::flat_hash_map<EventIndex, trace::Event> notifies_;  // that an excerpt may need
  EventIndex first_ambiguous_ = kNoEvent;
};

// Cuts excerpts out of a trace that passes by. Keeps the events of the stretches that are open.
class ExcerptCutter {
 public:
  using AllocationOf = std::function<EventIndex(LocationId)>;
  // Called at the end of each stretch. Null: there is no excerpt, because the recorded run has the
  // given ambiguous read before it.
  using Take = std::function<void(size_t stretch, const Excerpt* excerpt, EventIndex ambiguous)>;

  // `stretches` are ordered by their first event. `fates` have seen the whole trace.
  ExcerptCutter(std::vector<Stretch> stretches, const WaitFates& fates, AllocationOf allocation_of,
                Take take);

  void on_events(std::span<const trace::Event> batch);
  void finish();  // the trace is over

  // Raw events that left nothing in the normalized ones: the stream adds them here.
  std::vector<trace::Event>& folded() { return folded_; }

 private:
  struct Open {
    size_t stretch;
    std::vector<trace::Event> opened;
    EventIndex ambiguous;
    uint64_t first;  // its first event: how many events were kept before it
  };
  void on_event(const trace::Event& e);
  void close(const Open& open);
  void forget_old_events();
  Excerpt cut(const Open& open) const;

  std::vector<Stretch> stretches_;
  const WaitFates& fates_;
  AllocationOf allocation_of_;
  Take take_;
  OpenState state_;
  size_t next_ = 0;  // of stretches_: not yet begun
  std::deque<Open> open_;
  uint64_t forgotten_ = 0;  // events that were kept
  std::vector<trace::Event> kept_;
  std::vector<trace::Event> folded_;
};

}  // namespace foretell::judge

// SPDX-License-Identifier: Apache-2.0

// TraceFacts: what the rules of docs/semantics.md ask about the recorded trace itself.
//
// "The same writer as in the trace", "the wake it served in the trace", "every event u has in the
// trace": all of it is computed once per trace, in linear time, into vectors indexed by position.
// With it come indexes that give the state of the recorded run at any position without walking
// there (who holds a lock, which write was the last), so that a question about a few events of a
// long trace costs what those few events cost. Immutable afterward: many threads may ask.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <span>
#include <utility>
#include <vector>

#include "judge/interleaving.h"
#include "judge/lock_index.h"
#include "judge/need_clocks.h"
#include "judge/read_values.h"
#include "trace/trace.h"

namespace foretell::judge {

struct Excerpt;

// The writer of an ambiguous read: no event, and not the absence of one.
inline constexpr Position kUnknownWriter = kNoPosition - 1;

struct TraceFacts {
  // `normalized` must outlive the facts.
  explicit TraceFacts(const trace::Trace& normalized, const ReadRules& rules = {});
  // Of the trace of an excerpt, which must outlive the facts.
  explicit TraceFacts(const Excerpt& excerpt);

  const trace::Trace& trace;
  // Of an excerpt: what comes before `begins_at` has happened in every reordering, as recorded;
  // what comes from `ends_at` on happens in none.
  Position begins_at = 0, ends_at = 0;
  bool is_excerpt() const { return is_excerpt_; }

  // By position.
  std::vector<uint32_t> step;          // how many events of its thread come before it
  std::vector<Position> partner;       // read: its writer; wake: its notify; down: its post;
                                       // notify: the wake it served; post: the down it served;
                                       // failed try: who held the lock
  std::vector<Position> match;         // begin of a lock section: its end; end: its begin
  std::vector<uint32_t> frees_before;  // access: earlier frees of its location

  // By thread.
  std::vector<std::vector<Position>> events_of;
  std::vector<Position> fork_of;
  std::vector<uint32_t> first_ambiguous;  // step of its first ambiguous read, or ~0

  // By location.
  std::vector<Position> alloc_of;
  absl::flat_hash_map<LocationId, std::vector<Position>> frees_of;

  absl::flat_hash_set<Position> found_waiter;  // notifies that found an un-notified waiter
  bool has_ambiguous_reads = false;
  size_t lock_count = 0;
  size_t condition_count = 0;

  ReadValues values;
  LockIndex locks;
  NeedClocks needs;
  // The events before it are, in recorded order, a correct reordering: each was enabled where it
  // stands. Everything, unless there are ambiguous reads.
  Position sound_until = 0;

  const trace::Event& event(Position p) const { return trace.events[p]; }
  size_t size() const { return trace.events.size(); }
  size_t thread_count() const { return events_of.size(); }
  size_t location_count() const { return alloc_of.size(); }
  size_t thread_index(Position p) const { return to_index(event(p).thread); }

  // How many events of each thread, or of one, come before `p` in the trace.
  std::vector<uint32_t> steps_before(Position p) const;
  uint32_t steps_before(Position p, size_t thread) const;
  // The last write to the location before `p` in the trace, or none; all of them; how often it was
  // freed before `p`.
  Position last_write_before(LocationId location, Position p) const;
  std::span<const Position> writes_of(LocationId location) const;
  uint32_t frees_of_before(LocationId location, Position p) const;

  // Visits what `p` waits for by itself, whatever the other threads do: see judge/need_clocks.h.
  // Not its predecessor in its thread, and not all that these need in turn.
  template <class Visit>
  void for_each_need(Position p, Visit&& visit) const;

  // The events that enter this generation of the barrier.
  std::span<const Position> enters(BarrierId barrier, uint64_t generation) const;
  // Whatever of its kind may serve `p`: posts of a down's semaphore, enters of a leave's barrier,
  // notifies of a wake's condition. Nothing for other events.
  std::span<const Position> helpers(Position p) const;
  std::span<const Position> downs(SemaphoreId semaphore) const;
  // The wait that `wake` ends; the wake that ends `wait`, or none.
  Position wait_of(Position wake) const;
  Position wake_of(Position wait) const;
  // True if `wait` was under way and un-notified when `notify` happened in the trace.
  bool waited_unnotified(Position wait, Position notify) const;
  // Whether the read is enabled when this write, or none, is the last one of its location.
  bool serves(Position writer, Position read) const {
    return writer == partner[read] || values.serves(writer, read, event(read).location());
  }
  bool is_last_of_thread(Position p) const {
    return step[p] + 1 == events_of[thread_index(p)].size();
  }

 private:
  TraceFacts(const trace::Trace& normalized, Position first, Position limit,
             const ReadRules& rules = {});

  struct LockWalk;
  void count_ids();
  void walk();
  void walk_lock(const trace::Event& e, Position p, LockWalk& lock);
  void find_allocs();
  void find_waiters();
  void index_writes();
  Position position_of(EventIndex index) const;

  bool is_excerpt_ = false;

  std::vector<Position> condition_events_;
  std::vector<uint32_t> first_write_;  // by location: in writes_
  std::vector<Position> writes_;       // by location, then position
  absl::flat_hash_map<std::pair<BarrierId, uint64_t>, std::vector<Position>> enters_;
  absl::flat_hash_map<BarrierId, std::vector<Position>> all_enters_;
  absl::flat_hash_map<ConditionId, std::vector<Position>> notifies_;
  absl::flat_hash_map<SemaphoreId, std::vector<Position>> posts_, downs_;
};

template <class Visit>
void TraceFacts::for_each_need(Position p, Visit&& visit) const {
  const trace::Event& e = event(p);
  auto visit_if_any = [&](Position q) {
    if (q != kNoPosition) visit(q);
  };
  if (step[p] == 0) visit_if_any(fork_of[to_index(e.thread)]);
  if (is_access(e.kind)) {
    visit_if_any(alloc_of[to_index(e.location())]);
    if (frees_before[p] > 0) visit(frees_of.at(e.location())[frees_before[p] - 1]);
    if (is_read(e.kind) && !e.is_ambiguous() && values.keeps_writer(p)) visit_if_any(partner[p]);
  } else if (e.kind == trace::EventKind::WaitEnd || e.kind == trace::EventKind::SemaphoreWait) {
    visit_if_any(partner[p]);
  } else if (e.kind == trace::EventKind::Join) {
    const size_t child = to_index(e.other_thread());
    visit_if_any(fork_of[child]);
    if (!events_of[child].empty()) visit(events_of[child].back());
  } else if (e.kind == trace::EventKind::BarrierExit) {
    for (Position enter : enters(e.barrier(), e.generation())) visit(enter);
  } else if (e.kind == trace::EventKind::BarrierEnter && e.generation() > 0) {
    for (Position enter : enters(e.barrier(), e.generation() - 1)) visit(enter);
  }
}

}  // namespace foretell::judge

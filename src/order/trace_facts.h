// TraceFacts: what the rules of docs/semantics.md ask about the recorded trace itself.
//
// "The same writer as in the trace", "the wake it served in the trace", "every event u has in the
// trace": all of it is computed in one walk, once per trace, into vectors indexed by position.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <span>
#include <utility>
#include <vector>

#include "order/reordering.h"
#include "trace/trace.h"

namespace foretell {

inline constexpr Position kNoPosition = ~Position{0};
// The writer of an ambiguous read: no event, and not the absence of one.
inline constexpr Position kUnknownWriter = kNoPosition - 1;

constexpr bool begins_section(EventKind kind) {
  return kind == EventKind::Acquire || kind == EventKind::AcquireShared ||
         kind == EventKind::WaitEnd;
}
constexpr bool ends_section(EventKind kind) {
  return kind == EventKind::Release || kind == EventKind::ReleaseShared ||
         kind == EventKind::WaitBegin;
}
// A section begun so excludes every other one; a shared one excludes the exclusive ones.
constexpr bool begins_exclusive(EventKind kind) {
  return kind == EventKind::Acquire || kind == EventKind::WaitEnd;
}

struct TraceFacts {
  // `normalised` must outlive the facts.
  explicit TraceFacts(const Trace& normalised);

  const Trace& trace;

  // By position.
  std::vector<uint32_t> step;          // how many events of its thread come before it
  std::vector<Position> partner;       // read: its writer; wake: its notify; down: its post;
                                       // notify: the wake it served; failed try: who held the lock
  std::vector<Position> match;         // begin of a lock section: its end; end: its begin
  std::vector<uint32_t> frees_before;  // access: earlier frees of its location

  // By thread.
  std::vector<std::vector<Position>> events_of;
  std::vector<Position> fork_of;

  // By location.
  std::vector<Position> alloc_of;
  absl::flat_hash_map<LocationId, std::vector<Position>> frees_of;

  absl::flat_hash_set<Position> found_waiter;  // notifies that found an un-notified waiter
  bool has_ambiguous_reads = false;
  size_t lock_count = 0;
  size_t condition_count = 0;

  const Event& event(Position p) const { return trace.events[p]; }
  size_t size() const { return trace.events.size(); }
  size_t thread_count() const { return events_of.size(); }
  size_t location_count() const { return alloc_of.size(); }
  size_t thread_index(Position p) const { return to_index(event(p).thread); }

  // The events that enter this generation of the barrier.
  std::span<const Position> enters(BarrierId barrier, uint64_t generation) const;
  // The wait that `wake` ends; the wake that ends `wait`, or none.
  Position wait_of(Position wake) const;
  Position wake_of(Position wait) const;
  // True if `wait` was under way and un-notified when `notify` happened in the trace.
  bool waited_unnotified(Position wait, Position notify) const;
  bool is_last_of_thread(Position p) const {
    return step[p] + 1 == events_of[thread_index(p)].size();
  }

 private:
  struct LockWalk;
  void count_ids();
  void walk();
  void walk_lock(const Event& e, Position p, LockWalk& lock);
  void find_allocs();
  void find_waiters();
  Position position_of(EventIndex index) const;

  std::vector<Position> condition_events_;
  absl::flat_hash_map<std::pair<BarrierId, uint64_t>, std::vector<Position>> enters_;
};

}  // namespace foretell

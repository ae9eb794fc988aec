// SPDX-License-Identifier: Apache-2.0

// Normalizer: raw events in, well-formed normalized events out.
//
// It does three things in one walk over the trace, because all three follow the same state:
//   checks     the rules of a run (a lock has one holder, a joined thread is silent, ...); the rule
//              names are in Rule, one test each;
//   folds      re-entrant acquires and releases: only the outermost pair remains;
//   completes  what a trace may leave out or say by ticket: which notify served a wake, which
//              post a down, which generation a barrier event belongs to. Afterwards
//              Event::partner() and Event::generation() hold.
// It also replaces locations by cells (trace/cell_map.h).
//
// A read must return what the last write stored, where both are known. In a recording
// (RunFacts::has_unrecorded_writes) it need not, because code that was not instrumented writes
// memory too: such a read loses its value instead.
//
// A trace may be a prefix of a run: open critical sections, waits and blocks at its end are legal.
// Threads need no fork and no begin event: a thread that is never forked exists from the start.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dense_table.h"
#include "base/diagnostic.h"
#include "trace/cell_map.h"
#include "trace/event.h"
#include "trace/tables.h"
#include "trace/text.h"

namespace foretell::trace {

class Normalizer {
 public:
  // `cells` is null when the locations of the trace are known to be distinct variables.
  Normalizer(const TraceTables& tables, std::unique_ptr<CellMap> cells)
      : tables_(tables),
        cells_(std::move(cells)),
        unrecorded_writes_(tables.facts.has_unrecorded_writes) {}

  // Appends the normalized form of `raw` to `out`. On failure the diagnostic's `where` is empty and
  // failed_at() names the offending event; the caller knows how to print its position.
  Result<void> run(std::span<const Event> raw, std::vector<Event>& out);
  EventIndex failed_at() const { return failed_at_; }

  // The meaning of Event::location() in normalized events.
  Location location(LocationId id) const {
    return cells_ ? cells_->cells()[id].range : tables_.locations[id];
  }
  // The allocation that began this life of the location, if recorded.
  EventIndex allocation_of(LocationId id) const {
    return cells_ ? cells_->cells()[id].alloc : kNoEvent;
  }
  size_t location_count() const {
    return cells_ ? cells_->cells().size() : tables_.locations.size();
  }
  // All cells; the identity over the table when there is no map.
  CellTable cell_table() const;

 private:
  struct HeldShared {
    ThreadId thread;
    uint32_t depth;
  };
  struct LockState {
    bool held = false;
    ThreadId holder{};
    uint32_t depth = 0;
    std::vector<HeldShared> readers;
  };
  enum class Blocked : uint8_t { no, waiting, at_barrier };
  struct ThreadState {
    bool seen = false;  // has an event
    bool forked = false;
    bool ended = false;
    bool joined = false;
    Blocked blocked = Blocked::no;
    uint32_t blocked_on = 0;  // condition or barrier
    LockId wait_lock{};       // given up while waiting
    uint32_t wait_depth = 0;  // its re-entrance, restored by the wake
    EventIndex wait_began{};
    uint64_t barrier_generation = 0;
    std::vector<LabelId> blocks;
    std::vector<FunctionId> calls;
  };
  // A notify that may still serve a wake.
  struct Notify {
    uint64_t ticket;
    uint32_t may_serve;  // waiters it found and that have not claimed it
  };
  struct ConditionState {
    std::vector<ThreadId> waiting;  // the oldest wait first
    std::map<EventIndex, Notify> notifies;
    absl::flat_hash_map<uint64_t, EventIndex> tickets;  // of `notifies`
  };
  struct BarrierState {
    uint64_t generation = 0;
    bool opened = false;                              // somebody left the current generation
    uint64_t ticket = Event::kUnknown;                // how the trace calls the current generation
    absl::flat_hash_map<uint64_t, uint64_t> tickets;  // explicit generation -> ours
  };
  struct Post {
    EventIndex index;
    uint64_t ticket;
  };
  struct SemaphoreState {
    std::deque<Post> posts;  // a post taken by its ticket stays until it is the oldest
    absl::flat_hash_map<uint64_t, EventIndex> tickets;  // of posts not taken

    bool is_taken(const Post& post) const {
      if (post.ticket == Event::kUnknown) return false;
      auto it = tickets.find(post.ticket);
      return it == tickets.end() || it->second != post.index;
    }
  };

  bool plain_access(const Event& e, std::vector<Event>& out);
  Result<void> step(const Event& raw, std::vector<Event>& out);
  Result<void> check_can_act(const Event& e, ThreadState& thread);
  Result<void> access(const Event& e, std::vector<Event>& out);
  Result<void> access_cell(const Event& e, std::vector<Event>& out);
  Result<void> access_changed_cell(Event e, std::vector<Event>& out);
  void cut_value(Event& part, const Event& whole, const CellMap::Piece& piece) const;
  bool same_value(LocationId cell, uint64_t a, uint64_t b) const;
  Result<void> lock_event(const Event& e, std::vector<Event>& out);
  Result<void> acquire(const Event& e, std::vector<Event>& out);
  Result<void> acquire_shared(const Event& e, std::vector<Event>& out);
  Result<void> release(const Event& e, std::vector<Event>& out);
  Result<void> release_shared(const Event& e, std::vector<Event>& out);
  Result<void> try_fail(const Event& e, std::vector<Event>& out);
  Result<void> fork(const Event& e, std::vector<Event>& out);
  Result<void> join(const Event& e, std::vector<Event>& out);
  Result<void> wait_begin(const Event& e, std::vector<Event>& out);
  Result<void> wait_end(Event e, std::vector<Event>& out);
  Result<EventIndex> take_notify(const Event& wake, ConditionState& condition);
  void forget_old_notifies(ConditionState& condition);
  Result<void> notify(Event e, std::vector<Event>& out);
  Result<void> barrier_enter(Event e, std::vector<Event>& out);
  Result<void> barrier_exit(Event e, std::vector<Event>& out);
  Result<void> semaphore_post(Event e, std::vector<Event>& out);
  Result<void> semaphore_wait(Event e, std::vector<Event>& out);
  Result<void> block(const Event& e, std::vector<Event>& out);
  Result<void> allocate(const Event& e, std::vector<Event>& out);
  Result<void> free(const Event& e, std::vector<Event>& out);

  // Names as messages show them.
  std::string thread_name(ThreadId id) const { return excerpt(tables_.threads[id]); }
  std::string lock_name(LockId id) const { return excerpt(tables_.locks[id]); }
  std::string condition_name(ConditionId id) const { return excerpt(tables_.conditions[id]); }
  std::string barrier_name(BarrierId id) const { return excerpt(tables_.barriers[id]); }
  std::string semaphore_name(SemaphoreId id) const { return excerpt(tables_.semaphores[id]); }
  std::string label_name(LabelId id) const { return excerpt(tables_.labels[id]); }
  std::string location_name(const Location& range) const {
    return excerpt(tables_.location_name(range));
  }

  const TraceTables& tables_;
  std::unique_ptr<CellMap> cells_;
  const bool unrecorded_writes_;  // a read may return what no recorded write has stored
  EventIndex failed_at_ = kNoEvent;

  DenseTable<ThreadState, ThreadId> threads_;
  DenseTable<LockState, LockId> locks_;
  DenseTable<ConditionState, ConditionId> conditions_;
  DenseTable<BarrierState, BarrierId> barriers_;
  DenseTable<SemaphoreState, SemaphoreId> semaphores_;
  struct KnownValue {
    bool known = false;
    uint64_t value = 0;
    EventIndex writer{};
  };
  DenseTable<KnownValue, LocationId> values_;  // by location: what the last write stored
  enum class Life : uint8_t { unknown, live, freed };
  DenseTable<Life, LocationId> lives_;  // by raw location of an alloc or free
  std::vector<CellMap::Piece> pieces_;
};

}  // namespace foretell::trace

// SPDX-License-Identifier: Apache-2.0

// Machine: the table of docs/semantics.md, executable.
//
// It holds what the events executed so far have done (which locks are held, who wrote last, who
// waits) and says of any event whether it is enabled now and, if not, why. Because threads run in
// program order, "event e has happened" is a comparison with its thread's progress.
//
// It can start at the state of the recorded run before any given event. Nothing is executed or
// copied for that: state that later events have not changed is looked up in the facts.
//
// State that does not follow from the progress of the threads: the last writer of each location and
// which waits were notified. Two machines that agree on these three agree on everything.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/trace_facts.h"

namespace foretell::judge {

// "event 7 (acq of thread T1)"
std::string described(const trace::Trace& trace, Position p);

class Machine {
 public:
  // After the recorded events before `start`.
  explicit Machine(const TraceFacts& facts, Position start = 0);

  // Why `p` cannot be executed now; nothing if it can.
  std::optional<std::string> why_not(Position p) const;

  // The same without the words: `p` must be the next event of its thread.
  bool enabled(Position p) const { return obstacle(p).empty(); }

  // Why the two are not clashing accesses that can both be executed next; nothing if they are.
  std::optional<std::string> why_no_race(Position a, Position b) const;

  // Why the two are not acquires of one lock that can both be executed next; nothing if they are.
  std::optional<std::string> why_no_meeting(Position a, Position b) const;

  // Why the threads of these events are not deadlocked there; nothing if they are.
  // That no notify came while a lost wait was under way is for the caller to know.
  std::optional<std::string> why_no_deadlock(std::span<const Position> stuck) const;

  // Whether `p`, the next event of its thread, cannot happen as long as the threads of `stuck` (its
  // own among them) do not go on. The same holds for lost waits.
  bool is_stuck(Position p, std::span<const Position> stuck) const {
    return stuck_obstacle(p, stuck).empty();
  }

  // Why the read is not next, whatever it would return; nothing if it is.
  std::optional<std::string> why_no_read(Position read) const;

  // What undo() cannot work out from the event itself.
  struct Effect {
    Position overwritten = kNoPosition;  // the write before this one
    std::vector<Position> taken;         // waits that are no longer un-notified
  };
  // Executes `p`, which must be enabled.
  Effect apply(Position p);
  // Takes back `p`, which must be the event executed last.
  void undo(Position p, const Effect& effect);

  // Whether it was forked, if it is forked at all.
  bool exists(size_t thread) const { return was_forked(ThreadId{static_cast<uint32_t>(thread)}); }
  bool happened(Position p) const { return facts_->step[p] < done_[facts_->thread_index(p)]; }
  // How many events each thread has executed.
  std::span<const uint32_t> progress() const { return done_; }
  Position next_of(size_t thread) const { return facts_->events_of[thread][done_[thread]]; }
  bool is_next(Position p) const { return facts_->step[p] == done_[facts_->thread_index(p)]; }
  Position last_writer(LocationId location) const {
    auto it = last_writer_.find(location);
    return it != last_writer_.end() ? it->second : facts_->last_write_before(location, start_);
  }
  bool is_unnotified(Position wait) const;

 private:
  std::string_view obstacle(Position p) const;
  std::string_view access_obstacle(Position p) const;
  std::string_view join_obstacle(const trace::Event& e) const;
  std::string_view wake_obstacle(Position p) const;
  std::string_view notify_obstacle(Position p) const;
  std::string_view notify_all_obstacle(Position p) const;
  std::string_view barrier_obstacle(const trace::Event& e) const;
  std::string_view stuck_obstacle(Position p, std::span<const Position> stuck) const;
  bool waits_for(Position p, size_t thread) const;
  bool waits_for_lock(Position p) const;
  bool was_forked(ThreadId thread) const;
  void take_notified(Position notify, Effect& effect);
  bool allocated(LocationId location) const;
  LockState lock_of(const trace::Event& e) const {
    auto it = locks_.find(e.lock());
    return it != locks_.end() ? it->second : facts_->locks.state_before(e.lock(), start_);
  }
  LockState& changed_lock(const trace::Event& e) {
    auto [it, fresh] = locks_.try_emplace(e.lock());
    if (fresh) it->second = facts_->locks.state_before(e.lock(), start_);
    return it->second;
  }
  uint32_t frees(LocationId location) const {
    auto it = frees_.find(location);
    return it != frees_.end() ? it->second : facts_->frees_of_before(location, start_);
  }

  // How many have entered that generation of the barrier.
  size_t entered(BarrierId barrier, uint64_t generation) const {
    auto it = entered_.find({barrier, generation});
    return it != entered_.end() ? it->second : entered_before_start(barrier, generation);
  }
  size_t entered_before_start(BarrierId barrier, uint64_t generation) const;
  size_t& changed_entered(const trace::Event& e) {
    auto [it, fresh] = entered_.try_emplace({e.barrier(), e.generation()});
    if (fresh) it->second = entered_before_start(e.barrier(), e.generation());
    return it->second;
  }

  const TraceFacts* facts_;
  Position start_;
  std::vector<uint32_t> done_;                     // by thread
  std::vector<std::vector<Position>> unnotified_;  // by condition: waits
  // What has changed since the start.
  absl::flat_hash_map<LockId, LockState> locks_;
  absl::flat_hash_map<LocationId, Position> last_writer_;
  absl::flat_hash_map<LocationId, uint32_t> frees_;
  absl::flat_hash_map<std::pair<BarrierId, uint64_t>, size_t> entered_;
};

}  // namespace foretell::judge

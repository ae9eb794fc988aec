// Machine: the table of docs/semantics.md, executable.
//
// It holds what the events executed so far have done (which locks are held, who wrote last, who
// waits) and says of any event whether it is enabled now and, if not, why. Because threads run in
// program order, "event e has happened" is a comparison with its thread's progress.
//
// State that does not follow from the progress of the threads: the last writer of each location and
// which waits were notified. Two machines that agree on these three agree on everything.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "order/trace_facts.h"

namespace foretell {

class Machine {
 public:
  explicit Machine(const TraceFacts& facts);

  // Why `p` cannot be executed now; nothing if it can.
  std::optional<std::string> why_not(Position p) const;

  // The same without the words: `p` must be the next event of its thread.
  bool enabled(Position p) const { return obstacle(p).empty(); }

  // Why the two are not clashing accesses that can both be executed next; nothing if they are.
  std::optional<std::string> why_no_race(Position a, Position b) const;

  // What undo() cannot work out from the event itself.
  struct Effect {
    Position overwritten = kNoPosition;  // the write before this one
    std::vector<Position> taken;         // waits that are no longer un-notified
  };
  // Executes `p`, which must be enabled.
  Effect apply(Position p);
  // Takes back `p`, which must be the event executed last.
  void undo(Position p, const Effect& effect);

  bool happened(Position p) const { return facts_->step[p] < done_[facts_->thread_index(p)]; }
  // How many events each thread has executed.
  std::span<const uint32_t> progress() const { return done_; }
  Position next_of(size_t thread) const { return facts_->events_of[thread][done_[thread]]; }
  Position last_writer(LocationId location) const { return last_writer_[to_index(location)]; }
  bool is_unnotified(Position wait) const;

 private:
  struct Lock {
    bool exclusive = false;
    uint32_t shared = 0;
    bool held() const { return exclusive || shared > 0; }
  };

  std::string_view obstacle(Position p) const;
  std::string_view access_obstacle(Position p) const;
  std::string_view notify_obstacle(Position p) const;
  std::string_view notify_all_obstacle(Position p) const;
  std::string_view barrier_obstacle(const Event& e) const;
  bool was_forked(ThreadId thread) const;
  void take_notified(Position notify, Effect& effect);
  bool allocated(LocationId location) const;
  Lock& lock_of(const Event& e) { return locks_[to_index(e.lock())]; }
  const Lock& lock_of(const Event& e) const { return locks_[to_index(e.lock())]; }

  const TraceFacts* facts_;
  std::vector<uint32_t> done_;                     // by thread
  std::vector<Lock> locks_;                        // by lock
  std::vector<Position> last_writer_;              // by location
  std::vector<uint32_t> frees_;                    // by location
  std::vector<std::vector<Position>> unnotified_;  // by condition: waits
};

}  // namespace foretell

// StreamingJudge: witnesses of races, and of deadlocks over locks, in traces too long for memory.
//
// For a pair (a, b), a recorded first, it builds one witness while the trace is streamed:
// everything before a as recorded; then every later event that is enabled without what was left
// out, where a's thread is left out from a on, and every other thread from its first event that is
// not enabled. If b's thread still runs when b comes, both accesses are next, and that is the
// witness.
//
// A deadlock is built in the same way: everything before the first of its acquires as recorded, and
// each of its threads is left out from its acquire on. If every one of them has come to its acquire
// and the thread of the next one holds the lock then, that is the witness.
//
// No copy of the machine's state is kept per pair, only the difference to the recorded run: threads
// stopped, locations whose last write was left out, frees, posts, notifies and barrier enters left
// out, and the locks held (few at any time). What needs the future in docs/semantics.md is answered
// on the safe side: a notify runs only while nothing on its condition was left out, because then it
// is as enabled as it was in the trace.
//
// Ambiguous reads (trace/event.h) are never executed. A pair after the first one has no witness
// here, because its prefix would contain that read.
//
// Never says "impossible": a race that needs two critical sections swapped, or a thread stopped
// earlier, is beyond it. Cost: events between a and b, for each open pair.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/judge.h"
#include "trace/event.h"

namespace foretell {

// Two accesses of a normalized trace. The location tells the pieces of a split access apart.
// Or the acquires at which threads are stuck, each waiting for the thread of the next one and the
// last for that of the first; first and second are then the earliest and the latest of them.
struct PairQuery {
  EventIndex first, second;  // first < second
  LocationId location;
  std::vector<EventIndex> stuck = {};

  static PairQuery deadlock(std::vector<EventIndex> stuck);
};

struct StreamingJudgement {
  JudgeOutcome outcome = JudgeOutcome::gave_up;  // witness or gave_up
  std::string reason = {};
  // The witness: all events before `prefix_end` as recorded, then `tail`, which ends with the two
  // accesses, or with the stuck events. Pieces of the two that come before the racing piece are not
  // listed: the first's follow the prefix, the second's stand right before the two.
  EventIndex prefix_end = kNoEvent;
  std::vector<EventIndex> tail = {};
};

struct StreamingJudgeOptions {
  size_t most_open_pairs = 64;
  size_t longest_tail = size_t{1} << 20;            // of one pair
  size_t longest_tails_together = size_t{1} << 25;  // of all pairs
  size_t most_left_out = size_t{1} << 20;           // remembered differences of one pair
};

class StreamingJudge {
 public:
  explicit StreamingJudge(std::vector<PairQuery> queries, StreamingJudgeOptions options = {});
  ~StreamingJudge();

  // The normalized events of the whole trace, in order.
  void on_events(std::span<const Event> batch);

  // One judgement per query, in the order given.
  std::vector<StreamingJudgement> finish();

 private:
  class OpenPair;

  void on_event(const Event& e);
  void open_pairs_at(const Event& e);
  void settle(size_t open, const Event& e);

  std::vector<PairQuery> queries_;
  StreamingJudgeOptions options_;
  std::vector<StreamingJudgement> judgements_;  // by query
  std::vector<size_t> order_;                   // queries by first access
  size_t next_ = 0;                             // in order_: not yet opened
  std::vector<std::unique_ptr<OpenPair>> open_;
  size_t tails_together_ = 0;

  // State of the recorded run.
  struct Holders {
    std::optional<ThreadId> exclusive;
    std::vector<ThreadId> shared;
  };
  using HeldLocks = absl::flat_hash_map<LockId, Holders>;
  static void follow_lock(const Event& e, HeldLocks& held);
  HeldLocks held_;
  std::vector<EventIndex> first_seen_;  // by location: its first access
  EventIndex first_ambiguous_ = kNoEvent;
};

}  // namespace foretell

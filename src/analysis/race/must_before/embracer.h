// SPDX-License-Identifier: Apache-2.0

// Embracer (PREDICT chapters 14 to 16): which accesses does nothing in the trace order?
//
// The must-before relation (definition 8) is the smallest transitive relation with
//   1. program order,
//   2. communication order: clashing accesses as they happened,
//   3. if the acquire of one critical section is before the release of a later one of the same
//      lock, the release of the first is before the acquire of the later.
// Two sections of a lock are thus ordered only if something in them is. Two clashing accesses a, b
// race if a is not before an event of b's thread that precedes b. That happens in more schedules
// than one, but not surely: figure 12.2 has such a pair that never races.
//
// The state is that of 15.2 and 16.2, kept in a single pass:
//   C  per thread: its vector clock                                   threads_
//   W  per location: the clock of the last write                      locations_, shadow_location.h
//   R  per location: the clocks of the reads                          locations_, shadow_location.h
//   A  per open section: the clock of the acquire                     ThreadState::open
//   H  per lock: clocks of the sections that have ended               history_, block_history.h
//   E  edges from a release to an acquire, found at a later release   edges_, extra_edges.h
//   B  clashing accesses unordered so far                             pairs_, bad_pairs.h
//   N  per condition: the clock of the last notify                    hard_edges_, hard_edges.h
// The functions below are named after the rules of figures 15.1 and 16.1.
//
// A late edge: when the release of a section h finds that h begins after r, another section i that
// has ended in the meantime, and that knows of an event inside h, has r before its release too,
// which may order i after another section of its own lock. Definition 8 requires this; figure 15.1
// does not do it. So recent_, the sections that ended since the last closed state (at most
// Limits::recent), is searched.
//
// Cost: O(1) for an access without a new edge, O(threads) for a join; a release O(threads x log
// sections kept). Memory: threads, locks, locations, and what the clocks in use point to; it does
// not grow with the trace (sweep()).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analysis/race/must_before/bad_pairs.h"
#include "analysis/race/must_before/block_history.h"
#include "analysis/race/must_before/extra_edges.h"
#include "analysis/race/must_before/hard_edges.h"
#include "analysis/race/must_before/shadow_location.h"

namespace foretell::analysis {

class Embracer {
 public:
  // What is kept of the past. Tests make these small.
  struct Limits {
    size_t sweep = 1 << 16;    // sections and edges, before sweep() is worth it; 0: always
    size_t recent = 4096;      // sections that ended since the last closed state
    size_t bad_pairs = 4096;   // pairs that wait for a closed state
    bool prune_unused = true;  // false: only what can be dropped without loss
  };

  explicit Embracer(ProposalSink& sink) : Embracer(sink, Limits()) {}
  Embracer(ProposalSink& sink, const Limits& limits)
      : limits_(limits), pairs_(edges_, sink, limits.bad_pairs), sweep_at_(limits.sweep) {}

  // Figure 15.1.
  void read(const trace::Event& e);
  void write(const trace::Event& e);  // and free
  void acquire(ThreadId thread, LockId lock, LockMode mode);
  void release(ThreadId thread, LockId lock, LockMode mode);

  // Figure 16.1. Atomics are volatile whatever their memory order: every reordering keeps what they
  // read from.
  void volatile_read(const trace::Event& e);
  void volatile_write(const trace::Event& e);  // and read-modify-write
  void fork(const trace::Event& e);
  void join(const trace::Event& e);
  void pre_wait(const trace::Event& e) { release(e.thread, e.lock(), LockMode::exclusive); }
  void post_wait(const trace::Event& e);
  void notify(const trace::Event& e);

  // Beyond the document, as hard edges.
  void barrier_enter(const trace::Event& e);
  void barrier_exit(const trace::Event& e);
  void semaphore_post(const trace::Event& e);
  void semaphore_wait(const trace::Event& e);

  // Sections still open count as ending here, so the trace is closed.
  void finish();

  void report_counters(CounterSink& counters) const;

  // The state, for tests that follow the document's tables. An acquire's clock is given by the
  // component that decides.
  struct View {
    std::vector<std::pair<clocks::VectorClock, clocks::Epoch>> edges;    // E: (r, a)
    std::vector<std::pair<clocks::Epoch, clocks::VectorClock>> history;  // H of one lock: (a, r)
    std::optional<clocks::VectorClock> open;                             // A of one lock
    std::vector<std::pair<clocks::Epoch, clocks::VectorClock>>
        bad;  // B: (first access, before the second)
  };
  View view(LockId lock);
  const clocks::VectorClock& clock(ThreadId thread) { return thread_state(thread).clock.clock; }
  const clocks::VectorClock& write_clock(LocationId x) { return locations_[x].write.clock.clock; }
  clocks::VectorClock read_clock(LocationId x) { return locations_[x].read_clock(); }

 private:
  struct OpenBlock {
    LockId lock;
    LockMode mode;
    uint64_t began;            // position among the acquires and releases of the trace
    AdjustableClock acquired;  // A
    clocks::Time opened() const { return acquired.head().time() + 1; }
  };
  struct ClosedBlock {
    OpenBlock block;
    uint64_t ended;
    AdjustableClock released;  // kept adjusted by find_late_edges()
    ThreadId thread() const { return block.acquired.head().thread(); }
  };
  struct ThreadState {
    AdjustableClock clock;  // C; its head is the thread's own component
    std::vector<OpenBlock> open;
    bool joined = false;  // it does nothing any more
  };
  // A section that was found to begin after `extra`.
  struct LateEdge {
    ThreadId thread;
    clocks::Time opened;
    uint64_t began;
    AdjustableClock extra;
  };

  ThreadState& thread_state(ThreadId thread) {
    ThreadState& state = threads_[thread];
    if (state.clock.head().is_zero()) [[unlikely]]
      state.clock = {clocks::VectorClock(clocks::Epoch(thread, 1)), edges_.version()};
    return state;
  }

  void add_pair(const AccessEntry& first, const trace::Event& second, const ThreadState& thread);
  void pair_with_plain(const trace::Event& e, ShadowLocation& x, const ThreadState& thread);
  bool join_earlier_sections(const OpenBlock& block, ThreadId thread,
                             const AdjustableClock& release, bool late, AdjustableClock& extra);
  void find_late_edges(LateEdge edge);
  void reach_closed_state();
  void sweep();
  std::vector<clocks::Time> known_to_all();
  void prune_unused_history();
  template <class F>
  void for_each_clock_in_use(F&& f);

  const Limits limits_;
  DenseTable<ThreadState, ThreadId> threads_;
  DenseTable<ShadowLocation, LocationId> locations_;
  BlockHistory history_;
  ExtraEdges edges_;
  BadPairs pairs_;
  HardEdges hard_edges_;
  std::deque<ClosedBlock> recent_;
  size_t open_blocks_ = 0;
  uint64_t position_ = 0;
  size_t sweep_at_;

  uint64_t read_own_write_ = 0, read_ = 0, write_ = 0, volatile_read_ = 0, volatile_write_ = 0,
           acquire_ = 0, release_ = 0, fork_ = 0, join_ = 0, post_wait_ = 0, notify_ = 0, hard_ = 0,
           extra_edge_ = 0, elided_edge_ = 0, late_edge_ = 0, closed_state_ = 0, sweep_ = 0,
           recent_dropped_ = 0;
  size_t most_history_ = 0, most_edges_ = 0, kept_history_ = 0;
};

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

// SyncClocks: happens-before of one trace, as the vector clock of each thread's latest event.
//
// This is the state C and U of PREDICT 8.1, extended from locks to every event kind. An event
// happens before another if a chain of these edges leads from it to the other:
//
//   program order   an event           to  every later one of its thread
//   locks           rel, wait          to  every later acq, sacq, wake of the lock
//                   srel               to  every later acq, wake of the lock
//   threads         fork               to  every event of the child
//                   every event        to  the join of its thread
//   conditions      notify, notifyall  to  the wakes it served
//   barriers        enter              to  every leave of the same generation
//   semaphores      post               to  the down it served
//   atomics         C++20's synchronizes-with: a release write to the acquire reads that read from
//                   it or from the read-modify-writes that follow it directly (its release
//                   sequence; a plain atomic store ends it, whatever thread does it); a release
//                   fence stands in for the release of a later atomic write of its thread, an
//                   acquire fence for the acquire of an earlier atomic read. An atomic read reads
//                   from the last atomic write of the location before it since the location was
//                   last freed. seq_cst counts as acq_rel, consume as acquire.
//
// A thread's own component grows after each release-like event, so an access and one after the
// release have different epochs.
//
// Cost per event: constant for events without an edge, O(threads / sharing) for the others
// (clocks/vector_clock.h). Memory: threads, locks, barriers, conditions; atomic locations that now
// carry a release; posts no down has consumed; notifies that a present waiter may still claim.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <vector>

#include "base/dense_table.h"
#include "clocks/vector_clock.h"
#include "trace/event.h"

namespace foretell::clocks {

// Told of every edge that no lock makes and that program order does not contain: `later` learns
// `clock`, that of the other end. What weakens happens-before between critical sections keeps
// these.
class HardEdgeListener {
 public:
  virtual ~HardEdgeListener() = default;
  virtual void on_hard_edge(ThreadId later, const VectorClock& clock) = 0;
};

class SyncClocks {
 public:
  SyncClocks() = default;
  explicit SyncClocks(HardEdgeListener& listener) : listener_(&listener) {}

  // Everything the event does to the clocks.
  void on_event(const trace::Event& e);

  // The two halves of on_event for an access: what it learns, then what it publishes. Between the
  // two, clock() and epoch() are those of the access itself.
  void before_access(const trace::Event& e) {
    if (is_atomic_access(e.kind) && is_read(e.kind)) atomic_read(e);
  }
  void after_access(const trace::Event& e) {
    if (is_atomic_access(e.kind) && is_write(e.kind)) atomic_write(e);
    if (e.kind == trace::EventKind::Free) atomics_.erase(e.location());
  }

  const VectorClock& clock(ThreadId thread) { return thread_state(thread).clock; }
  Epoch epoch(ThreadId thread) { return thread_state(thread).clock.head(); }

  // The same without making room for a thread not seen yet, whose epoch is then zero.
  Epoch known_epoch(ThreadId thread) {
    const ThreadState* state = threads_.find(thread);
    return state ? state->clock.head() : Epoch();
  }

  // From now on `later` comes after what `clock` contains.
  void learn(ThreadId later, const VectorClock& clock) { learn(later, thread_state(later), clock); }
  // What the thread does from now on has another epoch than what it has done.
  void advance(ThreadId thread) { thread_state(thread).clock.increment_head(); }

  // From now on `later` comes after everything `earlier` has done.
  void order_after(ThreadId earlier, ThreadId later);

 private:
  struct ThreadState {
    VectorClock clock;     // C_t; its head is the thread's own component
    VectorClock unfenced;  // releases its relaxed reads saw, for the next acquire fence
    VectorClock fence;     // its clock at the latest release fence
  };
  struct LockState {
    VectorClock exclusive;  // U_m: the latest exclusive release
    VectorClock shared;     // shared releases since
  };
  struct Wait {
    ThreadId thread;
    EventIndex began;
  };
  struct Notify {
    EventIndex index;
    bool all;
    VectorClock clock;
  };
  struct ConditionState {
    std::deque<Wait> waits;       // in the order they began
    std::deque<Notify> notifies;  // in trace order
  };
  struct Generation {
    uint64_t number;
    uint64_t inside;  // entered and not left
    VectorClock clock;
  };

  ThreadState& thread_state(ThreadId thread) {
    ThreadState& state = threads_[thread];
    if (state.clock.head().is_zero()) [[unlikely]]
      begin(thread, state);
    return state;
  }
  [[gnu::noinline]] static void begin(ThreadId thread, ThreadState& state);

  void learn(ThreadId later, ThreadState& state, const VectorClock& clock) {
    state.clock.join(clock);
    if (listener_) listener_->on_hard_edge(later, clock);
  }

  void acquire(const trace::Event& e);
  void acquire_shared(const trace::Event& e);
  void release(const trace::Event& e);
  void release_shared(const trace::Event& e);
  void fork(const trace::Event& e);
  void join(const trace::Event& e);
  void wait_begin(const trace::Event& e);
  void wait_end(const trace::Event& e);
  void notify(const trace::Event& e);
  void barrier_enter(const trace::Event& e);
  void barrier_exit(const trace::Event& e);
  void semaphore_post(const trace::Event& e);
  void semaphore_wait(const trace::Event& e);
  void atomic_read(const trace::Event& e);
  void atomic_write(const trace::Event& e);
  void fence(const trace::Event& e);

  DenseTable<ThreadState, ThreadId> threads_;
  DenseTable<LockState, LockId> locks_;
  absl::flat_hash_map<ConditionId, ConditionState> conditions_;  // those somebody waits on
  // Two per barrier, unless a thread leaves late while others run through later rounds.
  DenseTable<std::vector<Generation>, BarrierId> barriers_;
  absl::flat_hash_map<EventIndex, VectorClock> posts_;
  // What an acquire read of the location's present value learns. No row: nothing.
  struct Released {
    VectorClock clock;
    ThreadId writer;  // the one whose clock it is; kNoThread if several were joined
  };
  static constexpr ThreadId kNoThread{UINT32_MAX};
  absl::flat_hash_map<LocationId, Released> atomics_;
  HardEdgeListener* listener_ = nullptr;
};

}  // namespace foretell::clocks

// SPDX-License-Identifier: Apache-2.0

// SyncEdges: happens-before of one trace, as a list of edges between events of different threads.
//
// SyncClocks answers whether one event comes before another; this says through what. The edges,
// with program order, have the same transitive closure as the table in clocks/sync_clocks.h, and few
// more than that needs: of the releases that an acquire comes after, only those are given that no
// other edge implies (the last exclusive one, the last shared one of each thread, the last write of
// each thread in a release sequence).
//
// Cost per event: constant, plus the edges that end in it. Memory: threads, locks, barriers, atomic
// locations that now carry a release.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "base/dense_table.h"
#include "trace/event.h"

namespace foretell::clocks {

enum class SyncEdgeKind : uint8_t { lock, fork, join, notify, barrier, semaphore, atomic };

struct SyncEdge {
  EventIndex from, to;
  SyncEdgeKind kind;

  bool operator==(const SyncEdge&) const = default;
};

class SyncEdges {
 public:
  // Normalized events, in order. The edges that end in `e` are valid until the next call.
  const std::vector<SyncEdge>& on_event(const trace::Event& e);

 private:
  struct Source {
    EventIndex index;
    ThreadId thread;
  };
  // The latest source of each thread.
  using Sources = std::vector<Source>;

  struct ThreadState {
    EventIndex last = kNoEvent;
    EventIndex parent = kNoEvent;  // the fork, as long as the thread has done nothing
    ThreadId parent_thread{};
    EventIndex fence = kNoEvent;  // its latest release fence
    Sources unfenced;             // releases its relaxed reads saw, for the next acquire fence
  };
  struct LockState {
    Sources exclusive;  // at most one
    Sources shared;     // since then
  };
  struct Generation {
    uint64_t number;
    uint64_t inside;  // entered and not left
    Sources entered;
  };

  static void put(Sources& sources, Source source);
  void add(const Source& from, const trace::Event& to, SyncEdgeKind kind);
  void add(const Sources& from, const trace::Event& to, SyncEdgeKind kind) {
    for (const Source& source : from) add(source, to, kind);
  }
  void acquire(const trace::Event& e);
  void release(const trace::Event& e);
  void join(const trace::Event& e);
  void barrier_enter(const trace::Event& e);
  void barrier_exit(const trace::Event& e);
  void served(const trace::Event& e, SyncEdgeKind kind);
  void atomic_read(const trace::Event& e);
  void atomic_write(const trace::Event& e);
  void fence(const trace::Event& e);
  void synchronize(const trace::Event& e);

  std::vector<SyncEdge> edges_;
  DenseTable<ThreadState, ThreadId> threads_;
  DenseTable<LockState, LockId> locks_;
  DenseTable<std::vector<Generation>, BarrierId> barriers_;
  absl::flat_hash_map<EventIndex, ThreadId> serving_;  // posts and notifies not seen to be used up
  absl::flat_hash_map<LocationId, Sources> atomics_;
};

}  // namespace foretell::clocks

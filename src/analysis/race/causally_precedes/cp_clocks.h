// SPDX-License-Identifier: Apache-2.0

// CpClocks: the causally-precedes clock of each thread's latest event, in one pass.
//
// Beside the happens-before clock H_t each thread has P_t: e1 <CP e2 iff the epoch of e1 is in the
// P of e2. By rule (c) of definition 5, e1 <CP e2 iff some edge (r, a) of rules (a) and (b) has e1
// ≤HB r and a ≤HB e2. So P flows along all edges of happens-before, and an edge (r, a) adds the H
// of r to the P of a. The edges are
//   hard   whatever is no lock's (clocks/sync_clocks.h): fork, join, notify, barrier, post, atomics
//   known  those in CpEdges: rule (a), and what earlier passes found by rule (b)
//   new    rule (b): the release of section k comes before the acquire of section h if the acquire
//          of k comes before the release of h. The acquires of a lock's exclusive sections are
//          ordered by happens-before, so the largest such k implies the others; it may be a section
//          of the same thread.
// A new edge seen at the acquire of h is as good as a known one. One seen later, at the release of
// h, points into the past: it is noted in CpEdges for the next pass, and added to P at once as far
// as that is possible, so that what follows from it is mostly found in this pass too.
//
// Memory: the clocks of releases that a later section is known to need, and of the last kRecent
// sections of each lock that other threads may have looked into; 24 bytes per critical section
// (where it began and ended, and whose it was), which grows with the trace.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <utility>
#include <vector>

#include "analysis/race/causally_precedes/cp_edges.h"
#include "base/dense_table.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class CpClocks final : private clocks::HardEdgeListener {
 public:
  explicit CpClocks(CpEdges& edges) : edges_(edges), happens_before_(*this) {}
  CpClocks(const CpClocks&) = delete;
  CpClocks& operator=(const CpClocks&) = delete;

  void on_event(const trace::Event& e);
  // The two halves of on_event for an access, as in SyncClocks.
  void before_access(const trace::Event& e) { happens_before_.before_access(e); }
  void after_access(const trace::Event& e) { happens_before_.after_access(e); }
  // Sections that the trace leaves open end with it.
  void finish();

  clocks::Epoch epoch(ThreadId thread) { return happens_before_.epoch(thread); }
  // P_t. It knows of the thread itself only what another thread brought back.
  const clocks::VectorClock& clock(ThreadId thread) { return threads_[thread].precedes; }
  // A hard edge from the latest event of one thread to the next of the other.
  void order_after(ThreadId earlier, ThreadId later) {
    happens_before_.order_after(earlier, later);
  }

  // Of this pass: how many edges were found too late to be in the clocks from their acquire on, and
  // the earliest of these acquires. If there are none, the clocks are those of the whole relation.
  uint64_t late_edges() const { return late_edges_; }
  EventIndex earliest_late() const { return earliest_late_; }

  // How much weaker than happens-before the relation is (PREDICT, appendix A): the pairs of
  // exclusive sections of one lock, of two threads, and those of them that <CP orders.
  // Happens-before orders all.
  struct SectionOrders {
    uint64_t happens_before = 0, causally_precedes = 0;
  };
  const SectionOrders& section_orders() const { return orders_; }

 private:
  static constexpr size_t kRecent = 256;

  struct Open {
    LockId lock;
    SectionNumber section;
    bool shared;
    bool begins;  // its acquire is the present event
    EventIndex index;
    clocks::VectorClock at_acquire;  // P of the acquire
  };
  struct Thread {
    clocks::VectorClock precedes;
    std::vector<Open> open;
  };
  struct Section {
    clocks::Epoch acquire;
    clocks::Time release = 0;
  };
  struct Reader {
    SectionNumber section;
    SectionNumber after;  // the latest exclusive section before it
  };
  struct Readers {
    clocks::VectorClock precedes;  // joined over the shared releases since the last exclusive one
    DenseTable<std::vector<Reader>, ThreadId> by_thread;
  };
  struct Lock {
    clocks::VectorClock precedes;                             // P of the latest exclusive release
    std::vector<Section> sections = std::vector<Section>(1);  // by number
    std::vector<SectionNumber> exclusive;
    // By thread: which of the exclusive sections are its own, as positions in `exclusive`.
    absl::flat_hash_map<ThreadId, std::vector<uint32_t>> own;
    std::unique_ptr<Readers> readers;
    absl::flat_hash_map<SectionNumber, clocks::VectorClock>
        needed;  // H of releases, until their last use
    std::vector<std::pair<SectionNumber, clocks::VectorClock>>
        recent;  // of the last kRecent to 2 kRecent
  };

  void on_hard_edge(ThreadId later, const clocks::VectorClock& clock) override {
    threads_[later].precedes.join(clock);
  }
  void acquire(const trace::Event& e, bool shared);
  void release(const trace::Event& e);
  void take(LockId id, SectionNumber from, SectionNumber to, clocks::VectorClock& precedes);
  void rule_b(Thread& thread, const Open& open);
  void count_orders(ThreadId thread, Lock& lock, const clocks::VectorClock& at_acquire);
  void rule_b_readers(Thread& thread, const Open& open, SectionNumber latest);
  void add_new(Lock& lock, SectionNumber from, const Open& open, clocks::VectorClock& precedes);
  const clocks::VectorClock* clock_of_release(const Lock& lock, SectionNumber section) const;
  bool released_before(const Section& section, const clocks::VectorClock& clock) const {
    return clock.contains(clocks::Epoch(section.acquire.thread(), section.release));
  }

  CpEdges& edges_;
  clocks::SyncClocks happens_before_;
  DenseTable<Thread, ThreadId> threads_;
  DenseTable<Lock, LockId> locks_;
  uint64_t late_edges_ = 0;
  EventIndex earliest_late_ = kNoEvent;
  SectionOrders orders_;
};

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

// Weak-causally-precedes race prediction (Kini, Mathur, Viswanathan, PLDI 2017), in one pass.
//
// WCP weakens causally-precedes (analysis/race/causally_precedes) so that no edge points into the
// past. It is the smallest relation such that
//   (a)  the release of a critical section is before an *access* in a later section of the same
//        lock that clashes with an access in the first;
//   (b)  the release of a section is before the *release* of a later section of the same lock if
//        something in the first is before something in the second;
//   (c)  it is closed under composition with happens-before on both sides.
// Two clashing accesses race if neither is before the other. The first race is a race or a deadlock
// of some correct reordering; the judge decides about all.
//
// Each thread has the happens-before clock H_t and the clock P_t of what is before its latest
// event. P flows along all edges of happens-before, and an edge (r, e) adds the H of r to the P of
// e. The paper keeps a queue of sections per lock and thread for rule (b). Here
//   - exclusive sections of a lock are totally ordered by happens-before, so one list per lock
//     serves all threads, and the latest section whose acquire is in P_t implies the others;
//   - a section in which its thread published nothing (no release, no fork, ...) is in P_t entirely
//     as soon as its acquire is, so only the others are listed;
//   - sections whose release is in the P of every thread are forgotten.
// Sections of the same thread count for rule (b), as the definition says and the paper's algorithm
// leaves out. Hard edges, readers and conditions are as in causally_precedes. A section left open
// by the trace has no release, so rule (b) does not reach it.
//
// Cost: constant per access and lock held, plus the threads that accessed the location; log of the
// list per release. Memory: rows per lock and location, per location and thread; the listed
// sections, which grow with the trace only while some thread takes no part in the communication. A
// thread that begins without a fork after sections were forgotten may miss edges from them.
#pragma once

#include <memory>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/held_sections.h"
#include "analysis/race/order_races.h"
#include "analysis/race/wcp/wcp_section.h"
#include "base/dense_table.h"
#include "clocks/sync_clocks.h"

namespace foretell::analysis {

class Wcp final : public AnalysisOf<Wcp>, private clocks::HardEdgeListener {
 public:
  Wcp(const AnalysisOptions& options, ProposalSink& sink)
      : happens_before_(*this), unordered_(options, sink) {}
  Wcp(const Wcp&) = delete;
  Wcp& operator=(const Wcp&) = delete;

  void on_event(const trace::Event& e);
  void report_counters(CounterSink& sink) const override;

  // The order, as OrderRaces asks for it.
  clocks::Epoch epoch(ThreadId thread) { return happens_before_.epoch(thread); }
  const clocks::VectorClock& clock(ThreadId thread) { return threads_[thread].precedes; }
  void order_after(ThreadId earlier, ThreadId later) {
    happens_before_.order_after(earlier, later);
  }

 private:
  static constexpr size_t kLeastPrune = 64;

  struct Thread {
    clocks::VectorClock precedes;  // P_t
    bool ended = false;            // joined
  };
  using Sections = std::vector<WcpSectionRef>;  // in the order of their acquires
  struct Readers {
    clocks::VectorClock precedes;  // joined over the shared releases since the last exclusive one
    DenseTable<Sections, ThreadId> by_thread;
  };
  struct Lock {
    clocks::VectorClock precedes;  // P of the latest exclusive release
    Sections exclusive;
    size_t prune_at = kLeastPrune;
    std::unique_ptr<Readers> readers;
  };

  void on_hard_edge(ThreadId later, const clocks::VectorClock& clock) override {
    threads_[later].precedes.join(clock);
  }
  void access(const trace::Event& e);
  void sync(const trace::Event& e);
  void acquire(const trace::Event& e, bool shared);
  void release(const trace::Event& e);
  void rule_a(const trace::Event& e, const WcpSectionRef& earlier);
  void rule_b(Thread& thread, const Sections& sections);
  void prune(Lock& lock);

  clocks::SyncClocks happens_before_;
  DenseTable<Thread, ThreadId> threads_;
  DenseTable<Lock, LockId> locks_;
  HeldSections<WcpSectionRef> held_;
  OrderRaces unordered_;
  uint64_t rule_a_ = 0, rule_b_ = 0, listed_ = 0, forgotten_ = 0;
};

}  // namespace foretell::analysis

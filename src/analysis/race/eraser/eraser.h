// SPDX-License-Identifier: Apache-2.0

// Eraser (Savage et al., ACM TOCS 15(4), 1997): is every shared location protected by some lock?
//
// Each location goes through four states: virgin; exclusive, as long as one thread uses it; shared,
// once others read it; shared-modified, once a thread writes it that is not its only user. From the
// moment it leaves exclusive, its candidate lockset is intersected with the locks held at each
// access: those held in either mode at a read, those held exclusively at a write. A shared-modified
// location whose lockset is empty is reported, at that access and at later ones, with the latest
// earlier access of another thread that clashes with it. (A warning for an access that clashes with
// none it knows is counted, not proposed: a race is a pair.)
//
// An atomic access counts as made under a lock of its own location, so atomics alone are never
// reported, and a mix with unprotected plain accesses is.
//
// As in the original, nothing but locks is known: accesses ordered by fork, join, barriers,
// semaphores, notifications or atomics of other locations are reported as if they were unordered,
// hence a proposal is Possible at most; and an unprotected hand-over between exclusive users may go
// unseen. With order_after_race the location becomes exclusive to the second thread, whose access
// then counts as coming after all others.
//
// Cost: constant per access once its lockset intersection has been met before.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/eraser/lockset_table.h"
#include "base/dense_table.h"

namespace foretell::analysis {

class Eraser final : public AnalysisOf<Eraser> {
 public:
  Eraser(const AnalysisOptions& options, ProposalSink& sink) : options_(options), sink_(sink) {}

  void on_event(const trace::Event& e);
  void report_counters(CounterSink& sink) const override;

 private:
  enum class State : uint8_t { virgin, exclusive, shared, shared_modified };

  struct LocationState {
    State state = State::virgin;
    ThreadId owner{};     // in exclusive
    LocksetId lockset{};  // in shared, shared_modified
    // Per class of access that clash() tells apart, the latest ones of two threads: enough to find
    // the latest that is not of a given thread.
    std::vector<finding::EventRef> recent;
  };
  struct HeldLock {
    LockId lock;
    bool shared;
  };
  struct ThreadState {
    std::vector<HeldLock> held;  // sorted by lock
    // By [is write][is atomic]; forgotten when a lock is taken or given up.
    std::array<std::array<std::optional<LocksetId>, 2>, 2> locksets;
  };

  void access(const trace::Event& e);
  void leave_exclusive(const trace::Event& e, LocationState& x);
  void warn(const trace::Event& e, LocationState& x);
  void remember(const trace::Event& e, LocationState& x);
  void take(const trace::Event& e, bool shared);
  void give_up(const trace::Event& e);
  LocksetId lockset_of(const trace::Event& e);

  const AnalysisOptions options_;
  ProposalSink& sink_;
  LocksetTable locksets_;
  DenseTable<ThreadState, ThreadId> threads_;
  DenseTable<LocationState, LocationId> locations_;

  uint64_t virgin_to_exclusive_ = 0, stays_exclusive_ = 0, exclusive_to_shared_ = 0,
           exclusive_to_shared_modified_ = 0, stays_shared_ = 0, shared_to_shared_modified_ = 0,
           stays_shared_modified_ = 0, races_ = 0, warnings_without_pair_ = 0;
};

}  // namespace foretell::analysis

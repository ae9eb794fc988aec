// SPDX-License-Identifier: Apache-2.0

// Causally-precedes race prediction (PREDICT, part IV), exactly definition 5, on whole traces.
//
// Happens-before orders all critical sections of a lock as they were observed. Causally-precedes
// keeps of that only what some dependence requires, and so finds races that the observed order of
// critical sections hid. <CP is the smallest relation such that
//   (a)  the release of a critical section is before the acquire of a later one of the same lock if
//        the two contain clashing accesses;
//   (b)  likewise if something in the first is <CP something in the second;
//   (c)  it is closed under composition with happens-before on both sides.
// Two clashing accesses race if neither is <CP the other. The first race is a race or a deadlock of
// some correct reordering (PREDICT, appendix B); later ones may be neither. The judge decides.
//
// The document computes this with Datalog on windows of the trace. Here it takes a few linear
// passes with vector clocks and no window:
//   1.  rule (a)                                                   section_clashes.h
//   2.  clocks, and new edges by rule (b); repeated until there is none: mostly twice   cp_clocks.h
//   3.  clocks once more, and the accesses that they leave unordered
// Fork, join, notify, barriers, semaphores and the synchronization of C++ atomics are hard edges:
// they order for <CP as they do for happens-before. Readers of a lock do not order each other;
// rules (a) and (b) apply to two sections of which one holds the lock exclusively. Nesting of
// sections is not assumed.
//
// If it is known from elsewhere which locations may race (AnalysisOptions::sharing), a pass before all
// others waits for that, and is the only one if there are none: what keeps two accesses from racing
// there, fork and join or a common lock, orders them by <CP, too. Then no edges are counted.
//
// With order_after_race a race counts as an edge from then on, and rules apply to it as well. When
// a race thus makes an edge into a section that began before it, the races since that beginning are
// taken back and the passes begin again with those that stay; after kRestarts times, reporting ends
// there.
//
// Cost: O(events) plus, per access, the threads that accessed the location, and per critical
// section, log of the sections of its lock. Memory: rows per location and thread, per lock and
// location; 32 bytes per critical section of the trace. Every second access that races is reported,
// with the last racing access of each thread and class.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race/causally_precedes/cp_clocks.h"
#include "analysis/race/causally_precedes/cp_edges.h"
#include "analysis/race/causally_precedes/section_clashes.h"
#include "analysis/race/order_races.h"
#include "analysis/race/sync_preserving/sharing.h"

namespace foretell::analysis {

class CausallyPrecedes final : public AnalysisOf<CausallyPrecedes>, private ProposalSink {
 public:
  CausallyPrecedes(const AnalysisOptions& options, ProposalSink& sink)
      : options_(options), sink_(sink) {
    if (options.sharing) {
      sharing_.emplace(options);
      pass_ = Pass::wait;
    }
  }

  void on_event(const trace::Event& e) {
    switch (pass_) {
      case Pass::wait:
        return;
      case Pass::clashes:
        return clashes_->on_event(e);
      case Pass::settle:
        if (!races_.empty() && is_access(e.kind)) apply_races(e);
        if (!is_plain_access(e.kind)) clocks_->on_event(e);
        return;
      case Pass::report:
        return is_access(e.kind) ? access(e) : clocks_->on_event(e);
      case Pass::done:
        return;
    }
  }
  void finish() override;
  bool wants_another_pass() override { return pass_ != Pass::done; }
  void report_counters(CounterSink& sink) const override;

 private:
  enum class Pass : uint8_t { wait, clashes, settle, report, done };
  static constexpr size_t kRestarts = 16;

  void access(const trace::Event& e);
  void propose(finding::Proposal race) override;
  void apply_races(const trace::Event& e);
  void begin(Pass pass);
  void end_report();
  void drop_races_after(EventIndex index);

  const AnalysisOptions options_;
  ProposalSink& sink_;
  std::optional<SharingUse> sharing_;  // of all analyses, if there is one
  Pass pass_ = Pass::clashes;
  CpEdges edges_;
  std::unique_ptr<SectionClashes> clashes_ = std::make_unique<SectionClashes>(edges_);
  std::unique_ptr<CpClocks> clocks_;
  std::unique_ptr<OrderRaces> unordered_;

  // order_after_race only: what was found and is not taken back, in trace order.
  struct Race {
    LocationId location{};
    finding::EventRef first, second;
  };
  std::vector<Race> races_;
  size_t next_race_ = 0;  // of races_, the first that the pass has not reached
  size_t restarts_ = 0;
  CpClocks::SectionOrders orders_;
  uint64_t passes_ = 0, rule_a_ = 0, rule_b_ = 0, repeated_ = 0, proposed_ = 0;
};

}  // namespace foretell::analysis

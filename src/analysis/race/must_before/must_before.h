// SPDX-License-Identifier: Apache-2.0

// MustBefore: Embracer (PREDICT chapters 14 to 16) as an analysis.
//
// Predicts races of other schedules from one pass over the trace: embracer.h has the relation and
// the algorithm. Communication order makes it blind where a happens-before detector is not
// (figure 16.2: after a race on y the accesses of x count as ordered), so a FastTrack runs beside
// it (16.3), and the races proposed are a superset of FastTrack's.
//
// No proposal of it is more than possible until the judge has built a reordering: must-before is
// weaker than causally-precedes and has false alarms (figure 12.2).
//
// Event kinds the document does not have, and the rule each gets:
//   atomics            volatile, whatever the memory order: a correct reordering keeps what they
//                      read from. They clash with plain accesses, not with each other. (The
//                      FastTrack beside it does use memory orders.)
//   fence              none: its atomics are ordered already
//   shared locks       condition 3, except between two shared sections
//   failed try         none: somebody must hold the lock, but it need not be who did
//   barrier, semaphore hard edges: enter to leave, post to the down it served, like notify to wake
//   free               a write, which clashes with every access
//   alloc              none: which locations it begins is not in the stream; the judge knows
//   all others         none (requests, blocks, functions, branches, thread begin and end, user
//                      events)
#pragma once

#include "analysis/analysis.h"
#include "analysis/race/fasttrack/fasttrack.h"
#include "analysis/race/must_before/embracer.h"

namespace foretell::analysis {

class MustBefore final : public AnalysisOf<MustBefore> {
 public:
  // AnalysisOptions::order_after_race is FastTrack's; must-before orders clashing accesses anyway.
  MustBefore(const AnalysisOptions& options, ProposalSink& sink,
             const Embracer::Limits& limits = Embracer::Limits())
      : counted_(sink), happens_before_(options, counted_), embracer_(sink, limits) {}

  void on_event(const trace::Event& e);
  void finish() override { embracer_.finish(); }
  void report_counters(CounterSink& counters) const override;

 private:
  // The races of the embedded detector, on their way to the sink.
  class CountingSink final : public ProposalSink {
   public:
    explicit CountingSink(ProposalSink& sink) : sink_(sink) {}
    void propose(finding::Proposal race) override {
      ++races;
      sink_.propose(std::move(race));
    }
    uint64_t races = 0;

   private:
    ProposalSink& sink_;
  };

  CountingSink counted_;
  FastTrack happens_before_;
  Embracer embracer_;
  uint64_t no_rule_ = 0;
};

}  // namespace foretell::analysis

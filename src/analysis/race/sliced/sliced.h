// SPDX-License-Identifier: Apache-2.0

// Races by sliced causality (SLICED 4.2): two conflicting accesses of a variable that sliced
// causality leaves unordered and that no common lock keeps apart.
//
// Happens-before orders two accesses whenever some communication lies between them. Sliced causality
// asks whether either access *depends* upon that communication: whether it would still happen without
// it. For this it needs to know of the code which statements decide about which, and what they
// compute from (trace/statement_facts.h). Where a trace does not say, everything is assumed to
// depend on everything before it in its thread, and little is left to find.
//
// The relation is bolder than a correct reordering: sections that nothing depends upon still block
// (docs/papers.md). So what the judge cannot confirm stays possible, and the program decides.
//
// The events are held in memory; then one backward pass and one forward pass for all variables
// (variable_groups.h). Accesses that agree in thread, clock, locks and statement are compared once.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/analysis.h"

namespace foretell::analysis {

class Sliced final : public AnalysisOf<Sliced> {
 public:
  Sliced(const AnalysisOptions& options, ProposalSink& sink) : options_(options), sink_(sink) {}

  void on_event(const trace::Event& e) {
    if (events_.size() < kMostEvents) events_.push_back(e);
    ++seen_;
  }
  void finish() override;
  void report_counters(CounterSink& counters) const override;

 private:
  static constexpr size_t kMostEvents = size_t{1} << 24;

  const AnalysisOptions options_;
  ProposalSink& sink_;
  std::vector<trace::Event> events_;
  uint64_t seen_ = 0, statements_ = 0, variables_ = 0, groups_ = 0, ordered_ = 0, common_lock_ = 0,
           proposed_ = 0, left_out_ = 0;
};

}  // namespace foretell::analysis

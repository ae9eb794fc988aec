// SPDX-License-Identifier: Apache-2.0

// What the tests of atomicity analyses share: run one on a text, see what it proposes.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {

struct AtomicityOutcome final : ProposalSink, CounterSink {
  explicit AtomicityOutcome(const trace::Trace& analyzed) : tables(&analyzed.tables) {}
  void propose(finding::Proposal proposal) override {
    EXPECT_EQ(proposal.kind, finding::FindingKind::atomicity);
    text_.push_back(text_of(proposal));
    proposals.push_back(std::move(proposal));
  }
  void count(std::string_view rule, uint64_t times) override {
    counters[std::string(rule)] = times;
  }

  // "PATTERN outer:inner 1-6-3": blocks and indices of events, in the order proposed.
  const std::vector<std::string>& texts() const { return text_; }

  std::string text_of(const finding::Proposal& proposal) const {
    std::string blocks, events;
    for (const finding::BlockName& b : proposal.blocks) {
      const bool is_label = b.kind == finding::BlockName::Kind::label;
      blocks += fmt::format(
          "{}{}", blocks.empty() ? "" : ":",
          is_label ? tables->labels[LabelId{b.id}] : tables->functions[FunctionId{b.id}]);
    }
    for (const finding::EventRef& e : proposal.events) {
      events += fmt::format("{}{}", events.empty() ? "" : "-", to_index(e.index));
    }
    return fmt::format("{} {} {}", word_of(proposal.pattern), blocks, events);
  }

  const trace::TraceTables* tables;
  std::vector<finding::Proposal> proposals;
  std::map<std::string, uint64_t> counters;

 private:
  std::vector<std::string> text_;
};

template <class Detector>
AtomicityOutcome run_atomicity(const trace::Trace& trace, AnalysisOptions options = {}) {
  AtomicityOutcome outcome(trace);
  Detector detector(options, outcome);
  auto& analysis = static_cast<Analysis&>(detector);
  do {
    analysis.on_events(trace.events);
    analysis.finish();
  } while (analysis.wants_another_pass());
  detector.report_counters(outcome);
  return outcome;
}

template <class Detector>
AtomicityOutcome run_atomicity(std::string_view text, AnalysisOptions options = {}) {
  return run_atomicity<Detector>(trace_of(text), options);
}

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

// What the tests of race detectors share: run one on a text, see its pairs and its counters.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "trace/tiddle/tiddle_reader.h"

namespace foretell::analysis {

inline trace::Trace trace_of(std::string_view text) {
  auto raw = trace::parse_tiddle(text);
  EXPECT_TRUE(raw.has_value()) << raw.error().to_text();
  auto normal = normalize(std::move(*raw));
  EXPECT_TRUE(normal.has_value()) << normal.error().to_text();
  return std::move(*normal);
}

struct Outcome final : ProposalSink, CounterSink {
  struct Race {
    LocationId location{};
    finding::EventRef first, second;
  };
  void propose(finding::Proposal race) override {
    ASSERT_EQ(race.kind, finding::FindingKind::race);
    races.push_back({race.location, race.events[0], race.events[1]});
  }
  void count(std::string_view rule, uint64_t times) override {
    counters[std::string(rule)] = times;
  }

  // The indices of first and second accesses, in the order they were proposed.
  std::vector<std::pair<size_t, size_t>> pairs() const {
    std::vector<std::pair<size_t, size_t>> result;
    for (const Race& race : races) {
      result.emplace_back(to_index(race.first.index), to_index(race.second.index));
    }
    return result;
  }

  std::vector<Race> races;
  std::map<std::string, uint64_t> counters;
};

template <class Detector>
Outcome run(std::span<const trace::Event> events, AnalysisOptions options = {}) {
  Outcome outcome;
  Detector detector(options, outcome);
  auto& analysis = static_cast<Analysis&>(detector);
  do {
    analysis.on_events(events);
    analysis.finish();
  } while (analysis.wants_another_pass());
  detector.report_counters(outcome);
  return outcome;
}

template <class Detector>
Outcome run(std::string_view text, AnalysisOptions options = {}) {
  const trace::Trace trace = trace_of(text);
  return run<Detector>(trace.events, options);
}

using Pairs = std::vector<std::pair<size_t, size_t>>;

}  // namespace foretell::analysis

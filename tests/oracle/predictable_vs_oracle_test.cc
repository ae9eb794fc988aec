// SPDX-License-Identifier: Apache-2.0

// predictable, without limits and with the judge's word, is the oracle's set of races.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "analysis/race/predictable/predictable.h"
#include "judge/judge.h"
#include "oracle.h"
#include "property.h"
#include "proposed_pairs.h"

namespace foretell::oracle {
namespace {

std::set<Pair> judged_races(const trace::Trace& trace, analysis::PredictableLimits limits) {
  const judge::Judge judge(trace);
  std::set<Pair> races;
  for (const Pair& pair : proposed_pairs<analysis::Predictable>(trace, limits)) {
    if (judge.race(pair.first, pair.second).outcome == judge::JudgeOutcome::witness)
      races.insert(pair);
  }
  return races;
}

std::string without_limits_equals_oracle(const trace::Trace& trace, Dice&) {
  const std::set<Pair> expected = Oracle(trace).races_of_memory();
  const std::set<Pair> races = judged_races(trace, analysis::PredictableLimits::none());
  return races == expected ? "" : "judged " + to_text(races) + "oracle " + to_text(expected);
}

// The first access of a step stands for the later ones.
std::string every_race_has_one_alike(const trace::Trace& trace, Dice&) {
  analysis::PredictableLimits limits = analysis::PredictableLimits::none();
  limits.first_of_step_only = true;
  const std::set<Pair> races = judged_races(trace, limits);
  auto alike = [&](Position a, Position b) {
    const trace::Event &x = trace.events[a], &y = trace.events[b];
    return std::tuple(x.thread, x.kind, x.site, x.object) ==
           std::tuple(y.thread, y.kind, y.site, y.object);
  };
  for (const auto& [a, b] : Oracle(trace).races_of_memory()) {
    const bool found = std::ranges::any_of(
        races, [&](const Pair& race) { return alike(race.first, a) && alike(race.second, b); });
    if (!found) return fmt::format("{}-{} has none alike among {}", a, b, to_text(races));
  }
  return "";
}

class PredictableVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(PredictableVsOracle, WithoutLimitsItIsTheOracle) {
  expect_property("predictable", GetParam(), {.traces = 1500, .most_events = 14},
                  without_limits_equals_oracle);
}

TEST_P(PredictableVsOracle, TheFirstAccessOfAStepStandsForAll) {
  expect_property("predictable-alike", GetParam(), {.traces = 1500, .most_events = 14},
                  every_race_has_one_alike);
}

INSTANTIATE_TEST_SUITE_P(Profiles, PredictableVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

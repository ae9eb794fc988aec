// SPDX-License-Identifier: Apache-2.0

// The happens-before family against the oracle and against each other.
//
// The first race that happens-before reports is a race of docs/semantics.md, as long as the trace
// has none of the events whose constraints a reordering keeps and happens-before does not know;
// happens_before_knows_all() lists them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/race/djit/djit.h"
#include "analysis/race/fasttrack/fasttrack.h"
#include "analysis/race/happens_before/happens_before.h"
#include "oracle.h"
#include "property.h"
#include "reported.h"
#include "run_of.h"

namespace foretell::oracle {
namespace {

// The access at which each location is first said to race.
using FirstByLocation = std::map<LocationId, Position>;

template <class Detector>
FirstByLocation first_by_location(const trace::Trace& trace) {
  FirstByLocation first;
  for (const auto& [a, b] : reported<Detector>(trace, false)) {
    const auto [it, fresh] = first.try_emplace(trace.events[b].location(), b);
    it->second = std::min(it->second, b);
  }
  return first;
}

std::string family_agrees(const trace::Trace& trace, Dice&) {
  const auto plain = first_by_location<analysis::HappensBefore>(trace);
  if (first_by_location<analysis::Djit>(trace) != plain) return "djit differs from happens_before";
  if (first_by_location<analysis::FastTrack>(trace) != plain)
    return "fasttrack differs from happens_before";
  return "";
}

template <class Detector>
std::string first_is_true(const trace::Trace& trace, Dice&) {
  if (!happens_before_knows_all(trace)) return "";
  const auto first = first_race<Detector>(trace);
  if (!first) return "";
  const auto races = Oracle(trace).races();
  if (races.contains(*first)) return "";
  return fmt::format("first race {}-{} is none; {}", first->first, first->second, to_text(races));
}

template <class Detector>
std::string all_are_true_when_ordered(const trace::Trace& trace, Dice&) {
  if (!happens_before_knows_all(trace)) return "";
  const auto races = Oracle(trace).races();
  for (const auto& [a, b] : reported<Detector>(trace, true)) {
    if (!races.contains({a, b})) return fmt::format("{}-{} is none; {}", a, b, to_text(races));
  }
  return "";
}

class RacesVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(RacesVsOracle, TheFamilyAgreesWhereEachVariableRacesFirst) {
  expect_property("family", GetParam(), {.traces = 3000, .most_events = 40}, family_agrees);
}

TEST_P(RacesVsOracle, FirstRaceOfHappensBeforeIsTrue) {
  expect_property("first-hb", GetParam(), {.traces = 2000}, first_is_true<analysis::HappensBefore>);
}

TEST_P(RacesVsOracle, FirstRaceOfDjitIsTrue) {
  expect_property("first-djit", GetParam(), {.traces = 2000}, first_is_true<analysis::Djit>);
}

TEST_P(RacesVsOracle, FirstRaceOfFastTrackIsTrue) {
  expect_property("first-fasttrack", GetParam(), {.traces = 2000},
                  first_is_true<analysis::FastTrack>);
}

TEST_P(RacesVsOracle, EveryRaceOfHappensBeforeIsTrueWhenRacesOrder) {
  expect_property("ordered-hb", GetParam(), {.traces = 2000},
                  all_are_true_when_ordered<analysis::HappensBefore>);
}

TEST_P(RacesVsOracle, EveryRaceOfDjitIsTrueWhenRacesOrder) {
  expect_property("ordered-djit", GetParam(), {.traces = 2000},
                  all_are_true_when_ordered<analysis::Djit>);
}

TEST_P(RacesVsOracle, EveryRaceOfFastTrackIsTrueWhenRacesOrder) {
  expect_property("ordered-fasttrack", GetParam(), {.traces = 2000},
                  all_are_true_when_ordered<analysis::FastTrack>);
}

// Why happens_before_knows_all() leaves them out: each has a first race that no reordering shows.
void expect_refuted(std::string_view text, Pair reported) {
  const trace::Trace trace = run_of(text);
  EXPECT_FALSE(happens_before_knows_all(trace));
  EXPECT_EQ(first_race<analysis::HappensBefore>(trace), reported);
  EXPECT_EQ(Oracle(trace).races(), std::set<Pair>{});
}

TEST(RacesVsOracle, AFailedTryShowsMoreThanHappensBeforeKnows) {
  expect_refuted("wr 1 x acq 1 l tryfail 2 l rd 2 x", {0, 3});
}

TEST(RacesVsOracle, ARelaxedReadKeepsItsWriterButDoesNotSynchronize) {
  expect_refuted("wr 1 x awr 1 f rlx\nard 2 f rlx\nrd 2 x", {0, 3});
}

TEST(RacesVsOracle, AnAccessFollowsItsAllocationWithoutSynchronization) {
  expect_refuted("wr 1 x alloc 1 p wr 2 p wr 2 x", {0, 3});
}

INSTANTIATE_TEST_SUITE_P(Profiles, RacesVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

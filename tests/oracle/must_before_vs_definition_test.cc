// SPDX-License-Identifier: Apache-2.0

// must_before against the definition of its relation, against FastTrack, and against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analysis/race/fasttrack/fasttrack.h"
#include "analysis/race/must_before/must_before.h"
#include "must_before_naive.h"
#include "property.h"
#include "run_of.h"

namespace foretell::oracle {
namespace {

class ProposedPairs final : public analysis::ProposalSink {
 public:
  explicit ProposedPairs(const trace::Trace& trace) : trace_(trace) {}
  void propose(finding::Proposal race) override {
    pairs.emplace(position_of(race.events[0], race.location),
                  position_of(race.events[1], race.location));
  }

  std::set<Pair> pairs;

 private:
  Position position_of(const finding::EventRef& e, LocationId location) const {
    auto same = [&](const trace::Event& other) {
      return other.index == e.index && other.location() == location && is_access(other.kind);
    };
    return static_cast<Position>(std::ranges::find_if(trace_.events, same) - trace_.events.begin());
  }

  const trace::Trace& trace_;
};

template <class Detector, class... Limits>
std::set<Pair> reported_pairs(const trace::Trace& trace, const Limits&... limits) {
  ProposedPairs proposals(trace);
  Detector detector({}, proposals, limits...);
  detector.on_events(trace.events);
  detector.finish();
  return std::move(proposals.pairs);
}

std::set<Position> seconds(const std::set<Pair>& pairs) {
  std::set<Position> result;
  for (const auto& [a, b] : pairs) result.insert(b);
  return result;
}

// Embracer names the last write and the last reads as first accesses. If any earlier access races
// with b then one of those does, since communication order leads from it to them.
std::string compare(const trace::Trace& trace, const analysis::Embracer::Limits& limits) {
  const auto defined = NaiveMustBefore(trace).races();
  const auto hb = reported_pairs<analysis::FastTrack>(trace);
  const auto found = reported_pairs<analysis::MustBefore>(trace, limits);
  for (const Pair& pair : found) {
    if (!defined.contains(pair) && !hb.contains(pair)) {
      return fmt::format("{}-{} is ordered; {}", pair.first, pair.second, to_text(defined));
    }
  }
  for (const Position b : seconds(defined)) {
    if (!seconds(found).contains(b)) {
      return fmt::format("nothing is said to race with {}; {}", b, to_text(defined));
    }
  }
  return "";
}

std::string agrees_with_definition(const trace::Trace& trace, Dice&) {
  return compare(trace, analysis::Embracer::Limits());
}

// Sweeping all the time, without dropping what may matter.
std::string sweeping_changes_nothing(const trace::Trace& trace, Dice&) {
  return compare(trace, {.sweep = 0, .prune_unused = false});
}

// Every limit at its worst: orders may be missed, races may not.
std::string forgetting_misses_no_race(const trace::Trace& trace, Dice&) {
  const auto found = seconds(reported_pairs<analysis::MustBefore>(
      trace, analysis::Embracer::Limits{.sweep = 0, .recent = 1, .bad_pairs = 1}));
  for (const auto& [a, b] : NaiveMustBefore(trace).races()) {
    if (!found.contains(b)) return fmt::format("nothing is said to race with {}", b);
  }
  return "";
}

// PREDICT 16.3.
std::string contains_fasttrack(const trace::Trace& trace, Dice&) {
  const auto found = reported_pairs<analysis::MustBefore>(trace);
  for (const Pair& pair : reported_pairs<analysis::FastTrack>(trace)) {
    if (!found.contains(pair)) return fmt::format("{}-{} is missing", pair.first, pair.second);
  }
  return "";
}

class MustBeforeVsDefinition : public testing::TestWithParam<Profile> {};

TEST_P(MustBeforeVsDefinition, RacesAreThoseOfTheDefinition) {
  expect_property("must-before", GetParam(), {.traces = 6000, .most_events = 60},
                  agrees_with_definition);
}

TEST_P(MustBeforeVsDefinition, FastTracksRacesAreAmongThem) {
  expect_property("must-before-fasttrack", GetParam(), {.traces = 3000, .most_events = 60},
                  contains_fasttrack);
}

TEST_P(MustBeforeVsDefinition, SweepingChangesNothing) {
  expect_property("must-before-sweep", GetParam(), {.traces = 3000, .most_events = 60},
                  sweeping_changes_nothing);
}

// Longer than the oracle could decide: more sections, more nesting, more that overlaps.
class MustBeforeOnLongTraces : public testing::TestWithParam<Profile> {
 protected:
  static Profile longer() {
    Profile profile = GetParam();
    profile.least_threads = profile.most_threads = 4;
    profile.locks = 3;
    profile.least_events = 60;
    profile.most_events = 160;
    return profile;
  }
  static constexpr Trials kTrials{.traces = 800, .most_events = 200};
};

TEST_P(MustBeforeOnLongTraces, RacesAreThoseOfTheDefinition) {
  expect_property("must-before-long", longer(), kTrials, agrees_with_definition);
}

TEST_P(MustBeforeOnLongTraces, SweepingChangesNothing) {
  expect_property("must-before-long-sweep", longer(), kTrials, sweeping_changes_nothing);
}

TEST_P(MustBeforeOnLongTraces, ForgettingMissesNoRace) {
  expect_property("must-before-forget", longer(), kTrials, forgetting_misses_no_race);
}

// 15 is before 20 only through an edge into the section of thread 4 on m that is found when its
// section on l, the last open one, ends, and that leads to another edge into that very section.
TEST(MustBeforeVsDefinition, TheLastSectionToEndIsLookedAtAgain) {
  const trace::Trace trace = run_of(R"(
      acq 3 m
      wait 3 d m
      acq 1 l
      notifyall 1 d #4
      acq 1 m
      wait 1 c m
      wake 3 d m #4
      rel 3 m
      wake 1 c m spurious
      wait 1 c l
      notify 3 c #8
      wr 3 x
      wake 1 c l #8
      wr 4 x
      rel 1 m
      wr 1 x
      wait 1 d l
      acq 4 l
      acq 4 m
      join 3 4
      wr 3 x)");
  EXPECT_FALSE(NaiveMustBefore(trace).race(15, 20));
  EXPECT_EQ(compare(trace, analysis::Embracer::Limits()), "");
}

// tests/trace/predict/section-14-false-alarm.tiddle with one event per sync().
TEST(MustBeforeVsDefinition, FalseAlarmOfChapter14) {
  const trace::Trace trace = run_of(R"(
      acq 1 m
      acq 1 n
      rel 1 n
      rmw 1 t
      acq 2 n
      rmw 2 o
      wr 2 x
      rmw 2 r
      rel 2 n
      rmw 1 r
      rel 1 m
      rmw 3 o
      acq 3 m
      rel 3 m
      rmw 3 t
      wr 3 x)");
  const Truth truth = Oracle(trace).schedules();
  EXPECT_EQ(truth.races, std::set<Pair>{});
  EXPECT_TRUE(truth.deadlocks.empty());
  const NaiveMustBefore order(trace);
  EXPECT_FALSE(order.before(2, 4));    // the sections on n
  EXPECT_FALSE(order.before(10, 12));  // the sections on m
  EXPECT_EQ(reported_pairs<analysis::MustBefore>(trace), (std::set<Pair>{{6, 15}}));
}

// Figure 15.1 compares with the clock of the event before the acquire (docs/papers.md).
TEST(MustBeforeVsDefinition, AnAcquireIsNotTheEventBeforeIt) {
  const trace::Trace trace = run_of("wr 1 x acq 1 m rel 1 m acq 2 m rd 2 x rel 2 m");
  EXPECT_EQ(Oracle(trace).races(), (std::set<Pair>{{0, 4}}));
  EXPECT_TRUE(NaiveMustBefore(trace).race(0, 4));
  EXPECT_EQ(reported_pairs<analysis::MustBefore>(trace), (std::set<Pair>{{0, 4}}));
}

// tests/trace/predict/section-15.3-late-edge.tiddle.
TEST(MustBeforeVsDefinition, AnEdgeFoundLateOrdersSectionsThatHaveEnded) {
  const trace::Trace trace = run_of(
      "acq 2 n acq 2 m wr 2 z rel 2 m wr 2 x rel 2 n acq 1 m acq 1 n rel 1 n wr 1 x wr 1 z rel 1 "
      "m");
  EXPECT_TRUE(NaiveMustBefore(trace).before(5, 7));
  EXPECT_EQ(reported_pairs<analysis::MustBefore>(trace), std::set<Pair>{});
}

std::vector<Profile> profiles_with_locks() {
  return {race_profile(), lock_profile(), everything_profile()};
}
INSTANTIATE_TEST_SUITE_P(Profiles, MustBeforeOnLongTraces, testing::ValuesIn(profiles_with_locks()),
                         [](const auto& tested) { return std::string(tested.param.name); });
INSTANTIATE_TEST_SUITE_P(Profiles, MustBeforeVsDefinition, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

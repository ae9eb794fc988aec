// SPDX-License-Identifier: Apache-2.0

// The happens-before family against the transitive closure, on random traces.
#include <map>
#include <set>

#include "analysis/race/djit/djit.h"
#include "analysis/race/fasttrack/fasttrack.h"
#include "analysis/race/happens_before/happens_before.h"
#include "unit/analysis/race_fixture.h"
#include "unit/clocks/naive_happens_before.h"
#include "unit/judge/random_trace.h"

namespace foretell::analysis {
namespace {

constexpr uint64_t kSeeds = 5000;

using FirstRaces = std::map<LocationId, EventIndex>;  // the earliest second access of each location

FirstRaces first_races(const Outcome& outcome) {
  FirstRaces first;
  for (const Outcome::Race& race : outcome.races) {
    auto [it, fresh] = first.try_emplace(race.location, race.second.index);
    if (!fresh) it->second = std::min(it->second, race.second.index);
  }
  return first;
}

template <class Check>
void for_each_trace(Check check) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const judge::RandomTrace trace =
        judge::random_trace(seed, {.threads = 2 + static_cast<uint32_t>(seed % 4),
                                   .locations = 1 + static_cast<uint32_t>(seed % 3),
                                   .events = 20 + static_cast<uint32_t>(seed % 60)});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_tiddle(trace.raw));
    check(trace);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RaceRandom, FirstRacesAgreeWithTheClosure) {
  uint64_t locations_with_races = 0;
  for_each_trace([&](const judge::RandomTrace& trace) {
    const clocks::NaiveHappensBefore naive(trace.events);
    FirstRaces expected;
    for (size_t b = 0; b < trace.events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (naive.race(a, b)) expected.try_emplace(trace.events[b].location(), EventIndex{b});
      }
    }
    EXPECT_EQ(first_races(run<HappensBefore>(trace.events)), expected);
    EXPECT_EQ(first_races(run<Djit>(trace.events)), expected);
    EXPECT_EQ(first_races(run<FastTrack>(trace.events)), expected);
    locations_with_races += expected.size();
  });
  EXPECT_GT(locations_with_races, kSeeds);
}

template <class Detector>
void expect_only_unordered_pairs() {
  for_each_trace([](const judge::RandomTrace& trace) {
    const clocks::NaiveHappensBefore naive(trace.events);
    for (auto [first, second] : run<Detector>(trace.events).pairs()) {
      EXPECT_TRUE(naive.race(first, second)) << first << ", " << second;
    }
  });
}
TEST(RaceRandom, HappensBeforeProposesOnlyUnorderedPairs) {
  expect_only_unordered_pairs<HappensBefore>();
}
TEST(RaceRandom, DjitProposesOnlyUnorderedPairs) {
  expect_only_unordered_pairs<Djit>();
}
TEST(RaceRandom, FastTrackProposesOnlyUnorderedPairs) {
  expect_only_unordered_pairs<FastTrack>();
}

TEST(RaceRandom, HappensBeforeReportsExactlyTheRacingSecondAccesses) {
  for_each_trace([](const judge::RandomTrace& trace) {
    const clocks::NaiveHappensBefore naive(trace.events);
    std::set<size_t> expected, reported;
    for (size_t b = 0; b < trace.events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (naive.race(a, b)) expected.insert(b);
      }
    }
    for (auto [first, second] : run<HappensBefore>(trace.events).pairs()) reported.insert(second);
    EXPECT_EQ(reported, expected);
  });
}

TEST(RaceRandom, OrderAfterRaceKeepsTheFirstRaceAndAddsNone) {
  for_each_trace([](const judge::RandomTrace& trace) {
    const Pairs all = run<HappensBefore>(trace.events).pairs();
    const Pairs ordered = run<HappensBefore>(trace.events, {.order_after_race = true}).pairs();
    ASSERT_EQ(ordered.empty(), all.empty());
    for (const auto& pair : ordered) {
      EXPECT_TRUE(std::ranges::find(all, pair) != all.end());
    }
    if (!all.empty()) {
      EXPECT_EQ(ordered.front().second, all.front().second);
    }
  });
}

}  // namespace
}  // namespace foretell::analysis

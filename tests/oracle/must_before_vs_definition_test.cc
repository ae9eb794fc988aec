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

class Proposals final : public ProposalSink {
 public:
  explicit Proposals(const Trace& trace) : trace_(trace) {}
  void propose(const RaceProposal& race) override {
    pairs.emplace(position_of(race.first, race.location), position_of(race.second, race.location));
  }

  std::set<Pair> pairs;

 private:
  Position position_of(const EventRef& e, LocationId location) const {
    auto same = [&](const Event& other) {
      return other.index == e.index && other.location() == location && is_access(other.kind);
    };
    return static_cast<Position>(std::ranges::find_if(trace_.events, same) - trace_.events.begin());
  }

  const Trace& trace_;
};

template <class Detector>
std::set<Pair> reported(const Trace& trace) {
  Proposals proposals(trace);
  Detector detector({}, proposals);
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
std::string agrees_with_definition(const Trace& trace, Dice&) {
  const auto defined = NaiveMustBefore(trace).races();
  const auto hb = reported<FastTrack>(trace);
  const auto found = reported<MustBefore>(trace);
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

// PREDICT 16.3.
std::string contains_fasttrack(const Trace& trace, Dice&) {
  const auto found = reported<MustBefore>(trace);
  for (const Pair& pair : reported<FastTrack>(trace)) {
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

// Longer than the oracle could decide: more sections, more nesting, more that overlaps.
TEST(MustBeforeVsDefinition, RacesAreThoseOfTheDefinitionOnLongTraces) {
  for (Profile profile : {race_profile(), lock_profile(), everything_profile()}) {
    profile.least_threads = profile.most_threads = 4;
    profile.locks = 3;
    profile.least_events = 60;
    profile.most_events = 160;
    expect_property("must-before-long", profile, {.traces = 1500, .most_events = 200},
                    agrees_with_definition);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, MustBeforeVsDefinition, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

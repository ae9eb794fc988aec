// SPDX-License-Identifier: Apache-2.0

// causally_precedes, wcp and shb against the oracle, and the containments of their orders.
//
// Appendix B of PREDICT: the first CP race is a race of a correct reordering, or there is a correct
// reordering that deadlocks; Kini, Mathur and Viswanathan prove the same for WCP. It is tested on
// all traces that have none of the events whose constraints a reordering keeps and the orders do
// not know: orders_know_all(). For shb only allocations are left out, and every race must be one.
#include <gtest/gtest.h>

#include "analysis/race/causally_precedes/causally_precedes.h"
#include "analysis/race/happens_before/happens_before.h"
#include "analysis/race/shb/shb.h"
#include "analysis/race/wcp/wcp.h"
#include "property.h"
#include "reported.h"
#include "run_of.h"
#include "unit/clocks/naive_happens_before.h"

namespace foretell::oracle {
namespace {

// Two atomics of which one writes keep their order in a reordering if somebody reads what the later
// one wrote, but happens-before, in C++, need not order them.
bool atomics_are_ordered(const trace::Trace& trace) {
  const clocks::NaiveHappensBefore happens_before(trace.events);
  for (size_t b = 0; b < trace.events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      const trace::Event &e = trace.events[a], &f = trace.events[b];
      if (!is_atomic_access(e.kind) || !is_atomic_access(f.kind) || e.object != f.object) continue;
      if (!is_write(e.kind) && !is_write(f.kind)) continue;
      if (!happens_before.before(a, b)) return false;
    }
  }
  return true;
}

bool orders_know_all(const trace::Trace& trace) {
  return happens_before_knows_all(trace) && atomics_are_ordered(trace);
}

template <class Detector>
std::string first_is_race_or_deadlock(const trace::Trace& trace, Dice&) {
  const auto first = first_race<Detector>(trace);
  if (!first || !orders_know_all(trace)) return "";
  const Truth truth = Oracle(trace).schedules();
  if (truth.races.contains(*first) || !truth.deadlocks.empty()) return "";
  return fmt::format("first race {}-{} is none; {}", first->first, first->second, to_text(truth));
}

template <class Detector>
std::string all_are_races_or_deadlocks_when_ordered(const trace::Trace& trace, Dice&) {
  const auto pairs = reported<Detector>(trace, true);
  if (pairs.empty() || !orders_know_all(trace)) return "";
  const Truth truth = Oracle(trace).schedules();
  if (!truth.deadlocks.empty()) return "";
  for (const auto& [a, b] : pairs) {
    if (!truth.races.contains({a, b})) {
      return fmt::format("{}-{} is none; {}", a, b, to_text(truth));
    }
  }
  return "";
}

std::string every_shb_race_is_real(const trace::Trace& trace, Dice&) {
  const auto pairs = reported<analysis::Shb>(trace, false);
  auto allocates = [](const trace::Event& e) { return e.kind == trace::EventKind::Alloc; };
  if (pairs.empty() || std::ranges::any_of(trace.events, allocates)) return "";
  const auto races = Oracle(trace).races();
  for (const auto& [a, b] : pairs) {
    if (!races.contains({a, b})) return fmt::format("{}-{} is none; {}", a, b, to_text(races));
  }
  return "";
}

// A second access that one order leaves unordered is so in every weaker one.
std::string seconds_are_contained(const trace::Trace& trace, Dice&) {
  auto seconds = [&]<class Detector>() {
    std::set<Position> result;
    for (const auto& [a, b] : reported<Detector>(trace, false)) result.insert(b);
    return result;
  };
  const auto shb = seconds.template operator()<analysis::Shb>(),
             hb = seconds.template operator()<analysis::HappensBefore>(),
             cp = seconds.template operator()<analysis::CausallyPrecedes>(),
             wcp = seconds.template operator()<analysis::Wcp>();
  if (!std::ranges::includes(hb, shb)) return "shb reports what happens_before does not";
  if (!std::ranges::includes(cp, hb))
    return "happens_before reports what causally_precedes does not";
  if (!std::ranges::includes(wcp, cp)) return "causally_precedes reports what wcp does not";
  return "";
}

class CpVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(CpVsOracle, FirstRaceOfCausallyPrecedesIsARaceOrADeadlock) {
  expect_property("first-cp", GetParam(), {.traces = 3000},
                  first_is_race_or_deadlock<analysis::CausallyPrecedes>);
}
TEST_P(CpVsOracle, FirstRaceOfWcpIsARaceOrADeadlock) {
  expect_property("first-wcp", GetParam(), {.traces = 3000},
                  first_is_race_or_deadlock<analysis::Wcp>);
}
TEST_P(CpVsOracle, EveryRaceOfCausallyPrecedesIsTrueWhenRacesOrder) {
  expect_property("ordered-cp", GetParam(), {.traces = 3000},
                  all_are_races_or_deadlocks_when_ordered<analysis::CausallyPrecedes>);
}
TEST_P(CpVsOracle, EveryRaceOfWcpIsTrueWhenRacesOrder) {
  expect_property("ordered-wcp", GetParam(), {.traces = 3000},
                  all_are_races_or_deadlocks_when_ordered<analysis::Wcp>);
}
TEST_P(CpVsOracle, EveryRaceOfShbIsTrue) {
  expect_property("every-shb", GetParam(), {.traces = 4000}, every_shb_race_is_real);
}
TEST_P(CpVsOracle, WeakerOrdersHaveMoreRaces) {
  expect_property("containment", GetParam(), {.traces = 4000, .most_events = 40},
                  seconds_are_contained);
}

// Many sections of three locks, closed in any order; nothing else.
Profile section_profile() {
  using enum trace::EventKind;
  Profile p{.name = "sections",
            .most_threads = 3,
            .locks = 3,
            .least_events = 8,
            .most_events = 15,
            .locations = {0, 1}};
  for (trace::EventKind kind : {Acquire, Release}) p.weight[to_index(kind)] = 8;
  for (trace::EventKind kind : {Read, Write}) p.weight[to_index(kind)] = 3;
  return p;
}

std::vector<Profile> cp_profiles() {
  auto result = all_profiles();
  result.push_back(section_profile());
  return result;
}

INSTANTIATE_TEST_SUITE_P(Profiles, CpVsOracle, testing::ValuesIn(cp_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Why atomics_are_ordered(): thread 1 holds l while it sees thread 2's store overwrite its own.
TEST(CpVsOracle, AnOverwrittenAtomicShowsMoreThanTheOrdersKnow) {
  const trace::Trace trace =
      run_of("acq 1 l\nawr 1 f\nawr 2 f\nard 1 f\nwr 1 x\nrel 1 l\nacq 2 l\nrel 2 l\nwr 2 x\n");
  EXPECT_TRUE(happens_before_knows_all(trace));
  EXPECT_FALSE(orders_know_all(trace));
  EXPECT_EQ(first_race<analysis::CausallyPrecedes>(trace), (Pair{4, 8}));
  EXPECT_EQ(first_race<analysis::Wcp>(trace), (Pair{4, 8}));
  EXPECT_EQ(Oracle(trace).races(), std::set<Pair>{});
}

// What happens-before reports wrongly (races_vs_oracle_test.cc), and what shb says instead.
void expect_silent(std::string_view text) {
  const trace::Trace trace = run_of(text);
  EXPECT_NE(first_race<analysis::HappensBefore>(trace), std::nullopt);
  EXPECT_EQ(reported<analysis::Shb>(trace, false), std::vector<Pair>{});
  EXPECT_EQ(Oracle(trace).races(), std::set<Pair>{});
}
TEST(CpVsOracle, ShbKnowsThatAFailedTryNeedsAHolder) {
  expect_silent("wr 1 x acq 1 l tryfail 2 l rd 2 x");
}
TEST(CpVsOracle, ShbKnowsThatARelaxedReadKeepsItsWriter) {
  expect_silent("wr 1 x awr 1 f rlx\nard 2 f rlx\nrd 2 x");
}
TEST(CpVsOracle, ShbDoesNotKnowThatAnAccessFollowsItsAllocation) {
  const trace::Trace trace = run_of("wr 1 x alloc 1 p wr 2 p wr 2 x");
  EXPECT_EQ(reported<analysis::Shb>(trace, false), (std::vector<Pair>{{0, 3}}));
  EXPECT_EQ(Oracle(trace).races(), std::set<Pair>{});
}
// The example of the SHB paper: the second happens-before race is none.
TEST(CpVsOracle, ShbOrdersAReadAfterItsWriter) {
  const trace::Trace trace = run_of("wr 1 x wr 1 y rd 2 y wr 2 x");
  EXPECT_EQ(reported<analysis::HappensBefore>(trace, false), (std::vector<Pair>{{1, 2}, {0, 3}}));
  EXPECT_EQ(reported<analysis::Shb>(trace, false), (std::vector<Pair>{{1, 2}}));
  EXPECT_EQ(Oracle(trace).races(), (std::set<Pair>{{1, 2}}));
}

}  // namespace
}  // namespace foretell::oracle

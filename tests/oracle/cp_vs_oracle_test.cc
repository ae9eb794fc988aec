// causally_precedes against the oracle, and the containments of its order.
//
// Appendix B of PREDICT: the first CP race is a race of a correct reordering, or there is a correct
// reordering that deadlocks. It is tested on all traces that have none of the events whose
// constraints a reordering keeps and the order does not know: knows_all() lists them.
#include <gtest/gtest.h>

#include "analysis/race/causally_precedes/causally_precedes.h"
#include "analysis/race/happens_before/happens_before.h"
#include "property.h"
#include "reported.h"
#include "run_of.h"
#include "unit/analysis/random_sections.h"

namespace foretell::oracle {
namespace {

bool knows_all(const Trace& trace) {
  return happens_before_knows_all(trace);
}

template <class Detector>
std::string first_is_race_or_deadlock(const Trace& trace, Dice&) {
  if (!knows_all(trace)) return "";
  const auto first = first_race<Detector>(trace);
  if (!first) return "";
  const Truth truth = Oracle(trace).schedules();
  if (truth.races.contains(*first) || !truth.deadlocks.empty()) return "";
  return fmt::format("first race {}-{} is none; {}", first->first, first->second, to_text(truth));
}

template <class Detector>
std::string all_are_races_or_deadlocks_when_ordered(const Trace& trace, Dice&) {
  if (!knows_all(trace)) return "";
  const auto pairs = reported<Detector>(trace, true);
  if (pairs.empty()) return "";
  const Truth truth = Oracle(trace).schedules();
  if (!truth.deadlocks.empty()) return "";
  for (const auto& [a, b] : pairs) {
    if (!truth.races.contains({a, b}))
      return fmt::format("{}-{} is none; {}", a, b, to_text(truth));
  }
  return "";
}

class CpVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(CpVsOracle, FirstRaceOfCausallyPrecedesIsARaceOrADeadlock) {
  expect_property("first-cp", GetParam(), {.traces = 3000},
                  first_is_race_or_deadlock<CausallyPrecedes>);
}

TEST_P(CpVsOracle, EveryRaceOfCausallyPrecedesIsTrueWhenRacesOrder) {
  expect_property("ordered-cp", GetParam(), {.traces = 3000},
                  all_are_races_or_deadlocks_when_ordered<CausallyPrecedes>);
}

INSTANTIATE_TEST_SUITE_P(Profiles, CpVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

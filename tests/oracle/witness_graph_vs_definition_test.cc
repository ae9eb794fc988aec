// NONDET's algorithm against its definitions: every witness of every small trace.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "property.h"
#include "witness_graph_naive.h"

namespace foretell::oracle {
namespace {

using Fates = std::map<WitnessFate, uint64_t>;

std::string fates_agree(const Trace& trace, Fates& fates) {
  const TraceFacts facts(trace);
  WitnessGraph graph(facts);
  NaiveWitnessGraph naive(trace);
  std::string fault;
  auto compare = [&](const PaperWitness& w, WitnessFate fate) {
    const WitnessFate expected = naive.decide(w);
    ++fates[expected];
    if (fate == expected || !fault.empty()) return;
    fault = fmt::format("read {}, writer {}, challenger {}, order {}: fate {}, not {}",
                        static_cast<int>(w.read), static_cast<int>(w.writer),
                        static_cast<int>(w.challenger), static_cast<int>(w.order),
                        static_cast<int>(fate), static_cast<int>(expected));
  };
  for (Position p = 0; p < trace.events.size(); ++p) {
    if (is_read(trace.events[p].kind)) graph.decide_read(p, compare);
  }
  for (uint32_t i = 0; i < facts.location_count(); ++i) {
    graph.decide_final(LocationId{i}, compare);
  }
  return fault;
}

class WitnessGraphVsDefinition : public testing::TestWithParam<Profile> {};

TEST_P(WitnessGraphVsDefinition, EveryWitnessHasItsFate) {
  expect_property("witness-graph", GetParam(), {.traces = 2000, .most_events = 16},
                  [](const Trace& trace, Dice&) {
                    Fates fates;
                    return fates_agree(trace, fates);
                  });
}

// Long enough for choices between scopes.
Profile many_sections() {
  Profile profile = lock_profile();
  profile.name = "many_sections";
  profile.locks = 2;
  profile.most_threads = 4;
  profile.least_events = 14;
  profile.most_events = 24;
  return profile;
}

TEST(WitnessGraphChoices, EveryWitnessHasItsFate) {
  Fates fates;
  expect_property("witness-graph-choices", many_sections(), {.traces = 2000, .most_events = 24},
                  [&](const Trace& trace, Dice&) { return fates_agree(trace, fates); });
  // Both phases were needed. Four scopes that leave no choice are too rare: see figure 5 in
  // tests/unit/analysis/determinism_witness_graph_test.cc.
  for (WitnessFate fate :
       {WitnessFate::cycle, WitnessFate::no_choice, WitnessFate::choice_acyclic}) {
    EXPECT_GT(fates[fate], 0u) << static_cast<int>(fate);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, WitnessGraphVsDefinition, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

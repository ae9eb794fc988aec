// SPDX-License-Identifier: Apache-2.0

// NONDET's algorithm against its definitions: every witness of every small trace.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "property.h"
#include "witness_graph_naive.h"

namespace foretell::oracle {
namespace {

using Fates = std::map<analysis::WitnessFate, uint64_t>;

// All witnesses of a read, or of a final read if it is none.
std::vector<PaperWitness> witnesses_of(const judge::TraceFacts& facts, judge::Position read,
                                       LocationId location) {
  const auto writes = facts.writes_of(location);
  std::vector<PaperWitness> witnesses;
  if (read == judge::kNoPosition) {
    for (judge::Position c : writes) {
      if (c == writes.back()) continue;
      witnesses.push_back({read, writes.back(), c, analysis::WitnessOrder::challenger_last});
    }
    return witnesses;
  }
  const judge::Position writer = facts.partner[read];
  for (judge::Position c : writes) {
    if (c == writer || c == read) continue;
    witnesses.push_back({read, writer, c, analysis::WitnessOrder::challenger_last});
    if (writer == judge::kNoPosition) continue;  // it comes first and always occurs
    witnesses.push_back({read, writer, c, analysis::WitnessOrder::read_first});
    witnesses.push_back({read, writer, c, analysis::WitnessOrder::without_writer});
  }
  if (writer != judge::kNoPosition) {
    witnesses.push_back({read, writer, judge::kNoPosition, analysis::WitnessOrder::read_first});
    witnesses.push_back({read, writer, judge::kNoPosition, analysis::WitnessOrder::without_writer});
  }
  return witnesses;
}

// With all details the same fate, without them the same verdict.
std::string fates_agree(const trace::Trace& trace, Fates& fates) {
  const judge::TraceFacts facts(trace);
  analysis::WitnessGraph verdicts(facts), choices(facts, analysis::WitnessGraph::Detail::choices);
  NaiveWitnessGraph naive(trace);
  std::string fault;
  uint64_t possible = 0, cycles = 0;
  auto compare = [&](judge::Position read, LocationId location) {
    using Key = std::pair<analysis::WitnessOrder, judge::Position>;
    auto by_challenger = [](std::span<const analysis::WitnessGraph::Decided> decided) {
      std::map<Key, analysis::WitnessFate> known;
      for (const auto& [order, challengers, fate] : decided) {
        for (judge::Position c : challengers) {
          EXPECT_TRUE(known.emplace(Key{order, c}, fate).second) << "decided twice";
        }
      }
      return known;
    };
    auto is_final = read == judge::kNoPosition;
    const auto quick =
        by_challenger(is_final ? verdicts.decide_final(location) : verdicts.decide_read(read));
    const auto full =
        by_challenger(is_final ? choices.decide_final(location) : choices.decide_read(read));
    for (const PaperWitness& w : witnesses_of(facts, read, location)) {
      const analysis::WitnessFate expected = naive.decide(w);
      ++fates[expected];
      ++possible;
      cycles += expected == analysis::WitnessFate::cycle;
      const auto found = full.find({w.order, w.challenger});
      const analysis::WitnessFate fate =
          found == full.end() ? analysis::WitnessFate::cycle : found->second;
      const bool feasible = quick.contains({w.order, w.challenger});
      if ((fate == expected && feasible == is_feasible(expected)) || !fault.empty()) continue;
      fault = fmt::format("read {}, writer {}, challenger {}, order {}: fate {} ({}), not {}",
                          static_cast<int>(w.read), static_cast<int>(w.writer),
                          static_cast<int>(w.challenger), static_cast<int>(w.order),
                          static_cast<int>(fate), feasible ? "feasible" : "infeasible",
                          static_cast<int>(expected));
    }
  };
  for (judge::Position p = 0; p < trace.events.size(); ++p) {
    if (is_read(trace.events[p].kind)) compare(p, trace.events[p].location());
  }
  for (uint32_t i = 0; i < facts.location_count(); ++i) compare(judge::kNoPosition, LocationId{i});
  if (fault.empty() &&
      (choices.counts().possible != possible || choices.counts().cycles != cycles ||
       verdicts.counts().possible != possible)) {
    fault = fmt::format("{} witnesses, {} cycles, not {} and {}", choices.counts().possible,
                        choices.counts().cycles, possible, cycles);
  }
  return fault;
}

class WitnessGraphVsDefinition : public testing::TestWithParam<Profile> {};

TEST_P(WitnessGraphVsDefinition, EveryWitnessHasItsFate) {
  expect_property("witness-graph", GetParam(), {.traces = 2000, .most_events = 16},
                  [](const trace::Trace& trace, Dice&) {
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
                  [&](const trace::Trace& trace, Dice&) { return fates_agree(trace, fates); });
  // Both phases were needed. Four scopes that leave no choice are too rare: see figure 5 in
  // tests/unit/analysis/determinism_witness_graph_test.cc.
  for (analysis::WitnessFate fate : {analysis::WitnessFate::cycle, analysis::WitnessFate::no_choice,
                                     analysis::WitnessFate::choice_acyclic}) {
    EXPECT_GT(fates[fate], 0u) << static_cast<int>(fate);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, WitnessGraphVsDefinition, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

// SPDX-License-Identifier: Apache-2.0

// sync_preserving proposes races of its class only, and one of each pair of groups that has any.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/race/sync_preserving/sync_preserving.h"
#include "oracle.h"
#include "property.h"
#include "proposed_pairs.h"
#include "run_of.h"
#include "sync_preserving_class.h"

namespace foretell::oracle {
namespace {

// What completeness is about: the pairs of accesses with the same operations, threads and sites.
using RaceSide = std::tuple<ThreadId, trace::EventKind, SiteId>;
using Groups = std::tuple<LocationId, RaceSide, RaceSide>;

Groups groups_of(const trace::Trace& trace, const Pair& pair) {
  auto side = [&](Position p) {
    const trace::Event& e = trace.events[p];
    return RaceSide{e.thread, e.kind, e.site};
  };
  const auto [low, high] = std::minmax({side(pair.first), side(pair.second)});
  return {trace.events[pair.first].location(), low, high};
}

std::map<std::pair<SiteId, SiteId>, uint32_t> count_sites(const trace::Trace& trace,
                                                          const std::vector<Pair>& pairs) {
  std::map<std::pair<SiteId, SiteId>, uint32_t> count;
  for (const auto& [a, b] : pairs) {
    ++count[std::minmax(trace.events[a].site, trace.events[b].site)];
  }
  return count;
}

std::string agrees(const trace::Trace& trace, Dice&) {
  const Semantics semantics(trace);
  const std::set<Pair> races = sync_preserving_races(semantics);
  const std::vector<Pair> proposed = proposed_pairs<analysis::SyncPreserving>(trace);
  std::set<Groups> found;
  for (const Pair& pair : proposed) {
    if (!races.contains(pair)) {
      return fmt::format("{}-{} is none; {}", pair.first, pair.second, to_text(races));
    }
    found.insert(groups_of(trace, pair));
  }
  const auto of_sites = count_sites(trace, proposed);
  for (const Pair& pair : races) {
    const trace::Event &a = trace.events[pair.first], &b = trace.events[pair.second];
    auto same_sites = of_sites.find(std::minmax(a.site, b.site));
    const bool enough = a.site != kNoSite && b.site != kNoSite && same_sites != of_sites.end() &&
                        same_sites->second >= analysis::SyncPreserving::kEnough;
    if (!enough && !found.contains(groups_of(trace, pair))) {
      return fmt::format("{}-{} and its like are missed; {}", pair.first, pair.second,
                         to_text(races));
    }
  }
  return "";
}

std::string class_is_part_of_all(const trace::Trace& trace, Dice&) {
  const Oracle oracle(trace);
  const std::set<Pair> all = oracle.races(), some = sync_preserving_races(oracle.semantics());
  return std::ranges::includes(all, some) ? "" : to_text(all) + to_text(some);
}

class SyncPreservingVsOracle : public testing::TestWithParam<Profile> {};

TEST_P(SyncPreservingVsOracle, ProposesWhatItsClassHas) {
  expect_property("sync-preserving", GetParam(), {.traces = 6000}, agrees);
}

TEST_P(SyncPreservingVsOracle, EveryRaceOfItsClassIsARace) {
  expect_property("sync-preserving-class", GetParam(), {.traces = 500}, class_is_part_of_all);
}

INSTANTIATE_TEST_SUITE_P(Profiles, SyncPreservingVsOracle, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace foretell::oracle

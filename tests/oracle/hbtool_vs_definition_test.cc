// SPDX-License-Identifier: Apache-2.0

// hbtool against the definition of its races, and against the oracle.
#include <gtest/gtest.h>

#include "analysis/race/happens_before/happens_before.h"
#include "analysis/race/hbtool/hbtool.h"
#include "analysis/race/shb/shb.h"
#include "property.h"
#include "reported.h"
#include "run_of.h"
#include "unit/clocks/naive_happens_before.h"

namespace foretell::oracle {
namespace {

// Clashing accesses of which the second one's thread does not know the first before the second: no
// third event comes after the first, by happens-before and communication order, and before the
// second by happens-before.
class NaiveHbTool {
 public:
  explicit NaiveHbTool(const trace::Trace& trace)
      : events_(trace.events), happens_before_(trace.events) {
    const size_t n = events_.size();
    before_.assign(n, std::vector<bool>(n));
    for (size_t b = 0; b < n; ++b) {
      for (size_t a = b; a-- > 0;) {
        if (!happens_before_.before(a, b) && !communicate(a, b)) continue;
        before_[a][b] = true;
        for (size_t c = 0; c < a; ++c) {
          if (before_[c][a]) before_[c][b] = true;
        }
      }
    }
  }

  std::set<Pair> races() const {
    std::set<Pair> races;
    for (Position b = 0; b < events_.size(); ++b) {
      for (Position a = 0; a < b; ++a) {
        if (!is_access(events_[a].kind) || !clash(events_[a], events_[b])) continue;
        if (!knows(a, b)) races.emplace(a, b);
      }
    }
    return races;
  }

 private:
  bool communicate(size_t a, size_t b) const {
    const trace::Event &one = events_[a], &other = events_[b];
    auto only_reads = [](const trace::Event& e) {
      return e.kind == trace::EventKind::Read || e.kind == trace::EventKind::AtomicRead;
    };
    return is_access(one.kind) && is_access(other.kind) && one.location() == other.location() &&
           !(only_reads(one) && only_reads(other));
  }

  bool knows(size_t a, size_t b) const {
    if (happens_before_.before(a, b)) return true;
    for (size_t c = a + 1; c < b; ++c) {
      if (before_[a][c] && happens_before_.before(c, b)) return true;
    }
    return false;
  }

  std::span<const trace::Event> events_;
  clocks::NaiveHappensBefore happens_before_;
  std::vector<std::vector<bool>> before_;
};

std::set<Position> seconds(const auto& pairs) {
  std::set<Position> result;
  for (const auto& [a, b] : pairs) result.insert(b);
  return result;
}

// NaiveHappensBefore orders a join after the events of its thread: after nothing if there are none.
bool joins_an_empty_thread(const trace::Trace& trace) {
  return std::ranges::any_of(trace.events, [&](const trace::Event& join) {
    return join.kind == trace::EventKind::Join &&
           std::ranges::none_of(trace.events, [&](const trace::Event& e) {
             return e.thread == join.other_thread();
           });
  });
}

// Of several first accesses of a thread the last one is named.
std::string hbtool_agrees_with_definition(const trace::Trace& trace, Dice&) {
  if (joins_an_empty_thread(trace)) return "";
  const auto found = reported<analysis::HbTool>(trace, false);
  const std::set<Pair> defined = NaiveHbTool(trace).races();
  for (const Pair& pair : found) {
    if (!defined.contains(pair)) {
      return fmt::format("{}-{} is ordered; {}", pair.first, pair.second, to_text(defined));
    }
  }
  if (seconds(found) != seconds(defined)) {
    return fmt::format("second accesses are missing; {}", to_text(defined));
  }
  return "";
}

// More order than happens-before and schedulable happens-before, so fewer races.
std::string is_contained(const trace::Trace& trace, Dice&) {
  const std::set<Position> found = seconds(reported<analysis::HbTool>(trace, false));
  if (!std::ranges::includes(seconds(reported<analysis::HappensBefore>(trace, false)), found)) {
    return "hbtool reports what happens_before does not";
  }
  return "";
}

// Reads, writes, locks, fork and join; nothing whose constraints the order does not know.
bool is_plain(const trace::Trace& trace) {
  return std::ranges::none_of(trace.events, [](const trace::Event& e) {
    return e.kind == trace::EventKind::TryFail || e.kind == trace::EventKind::TryFailShared;
  });
}

std::string every_race_is_real(const trace::Trace& trace, Dice&) {
  const auto found = reported<analysis::HbTool>(trace, false);
  if (found.empty() || !is_plain(trace)) return "";
  if (!std::ranges::includes(seconds(reported<analysis::Shb>(trace, false)), seconds(found))) {
    return "hbtool reports what shb does not";
  }
  const auto races = Oracle(trace).races();
  for (const Pair& pair : found) {
    if (!races.contains(pair)) {
      return fmt::format("{}-{} is none; {}", pair.first, pair.second, to_text(races));
    }
  }
  return "";
}

class HbToolVsDefinition : public testing::TestWithParam<Profile> {};

TEST_P(HbToolVsDefinition, ReportsTheSecondAccessesOfTheDefinition) {
  expect_property("hbtool-definition", GetParam(), {.traces = 4000, .most_events = 40},
                  hbtool_agrees_with_definition);
}
TEST_P(HbToolVsDefinition, ReportsNothingThatHappensBeforeDoesNot) {
  expect_property("hbtool-contained", GetParam(), {.traces = 4000, .most_events = 40},
                  is_contained);
}

INSTANTIATE_TEST_SUITE_P(Profiles, HbToolVsDefinition, testing::ValuesIn(all_profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(HbToolVsOracle, EveryRaceIsRealAmongReadsWritesAndLocks) {
  expect_property("hbtool-races", race_profile(), {.traces = 4000}, every_race_is_real);
  expect_property("hbtool-locks", lock_profile(), {.traces = 4000}, every_race_is_real);
}

// Where it differs from shb: a write that came after a read is ordered, and hides what follows.
TEST(HbToolVsOracle, AReadCommunicatesWithTheNextWrite) {
  const trace::Trace trace = run_of("wr 1 x rd 1 y wr 2 y wr 2 x");
  EXPECT_EQ(reported<analysis::HbTool>(trace, false), (std::vector<Pair>{{1, 2}}));
  EXPECT_EQ(reported<analysis::Shb>(trace, false), (std::vector<Pair>{{1, 2}, {0, 3}}));
  EXPECT_EQ(Oracle(trace).races(), (std::set<Pair>{{1, 2}, {0, 3}}));
}

}  // namespace
}  // namespace foretell::oracle

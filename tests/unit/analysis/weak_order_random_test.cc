// SPDX-License-Identifier: Apache-2.0

// causally_precedes and wcp against the naive closures of their definitions, on random traces.
#include <set>

#include "analysis/race/causally_precedes/causally_precedes.h"
#include "analysis/race/sync_preserving/sharing.h"
#include "analysis/race/wcp/wcp.h"
#include "unit/analysis/naive_causally_precedes.h"
#include "unit/analysis/race_fixture.h"
#include "unit/analysis/random_sections.h"
#include "unit/judge/random_trace.h"

namespace foretell::analysis {
namespace {

using Seconds = std::set<size_t>;

template <class Detector>
constexpr WeakOrder kOrder = WeakOrder::causally_precedes;
template <>
constexpr WeakOrder kOrder<Wcp> = WeakOrder::wcp;

template <class Detector>
class WeakOrderRandom : public testing::Test {
 protected:
  void compare(std::span<const trace::Event> events) {
    const NaiveCausallyPrecedes naive(events, kOrder<Detector>);
    Seconds expected, reported;
    for (size_t b = 0; b < events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (!naive.race(a, b)) continue;
        expected.insert(b);
        beyond_happens_before_ += naive.happens_before().before(a, b);
      }
    }
    const Outcome outcome = run<Detector>(events);
    for (auto [first, second] : outcome.pairs()) {
      EXPECT_TRUE(naive.race(first, second)) << first << ", " << second;
      reported.insert(second);
    }
    EXPECT_EQ(reported, expected);
    by_rule_b_ += outcome.counters.at("edge by rule (b)");
    if constexpr (std::is_same_v<Detector, CausallyPrecedes>) compare_edges(events, naive, outcome);
  }

  // The edge ratio: pairs of exclusive sections of a lock that happens-before and <CP order.
  static void compare_edges(std::span<const trace::Event> events,
                            const NaiveCausallyPrecedes& naive, const Outcome& outcome) {
    uint64_t by_happens_before = 0, by_cp = 0;
    for (size_t b = 0; b < events.size(); ++b) {
      if (events[b].kind != trace::EventKind::Acquire &&
          events[b].kind != trace::EventKind::WaitEnd)
        continue;
      for (size_t a = 0; a < b; ++a) {
        const bool ends = events[a].kind == trace::EventKind::Release ||
                          events[a].kind == trace::EventKind::WaitBegin;
        if (!ends || events[a].lock() != events[b].lock() || events[a].thread == events[b].thread) {
          continue;
        }
        by_happens_before += naive.happens_before().before(a, b);
        by_cp += naive.before(a, b);
      }
    }
    EXPECT_EQ(outcome.counters.at("HB edges between sections"), by_happens_before);
    EXPECT_EQ(outcome.counters.at("CP edges between sections"), by_cp);
  }

  size_t beyond_happens_before_ = 0, by_rule_b_ = 0;
};
using RandomDetectors = testing::Types<CausallyPrecedes, Wcp>;
TYPED_TEST_SUITE(WeakOrderRandom, RandomDetectors);

TYPED_TEST(WeakOrderRandom, IsTheClosureOnNestedLocks) {
  for (uint64_t seed = 0; seed < 6000 && !this->HasFailure(); ++seed) {
    const trace::Trace trace = random_sections(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_tiddle(trace));
    this->compare(trace.events);
  }
  EXPECT_GT(this->beyond_happens_before_, 6000u);
  EXPECT_GT(this->by_rule_b_, 200u);
}

TYPED_TEST(WeakOrderRandom, IsTheClosureOnEveryKindOfEvent) {
  for (uint64_t seed = 0; seed < 4000 && !this->HasFailure(); ++seed) {
    const judge::RandomTrace trace =
        judge::random_trace(seed, {.threads = 2 + static_cast<uint32_t>(seed % 4),
                                   .events = 20 + static_cast<uint32_t>(seed % 40)});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_tiddle(trace.raw));
    this->compare(trace.events);
  }
  EXPECT_GT(this->beyond_happens_before_, 300u);
}

// Long enough for wcp to forget sections, and for causally_precedes to take several passes.
TYPED_TEST(WeakOrderRandom, IsTheClosureOnLongerTraces) {
  for (uint64_t seed = 0; seed < 8 && !this->HasFailure(); ++seed) {
    const trace::Trace trace = random_sections(seed, {.nested = true, .length = 400});
    SCOPED_TRACE("seed " + std::to_string(seed));
    this->compare(trace.events);
  }
  EXPECT_GT(this->by_rule_b_, 10u);
}

// Where it is known which locations may race, no pass is made if there are none.
TEST(CausallyPrecedesAfterSharing, FindsTheSame) {
  size_t spared = 0, racy = 0;
  auto compare = [&](std::span<const trace::Event> events) {
    AnalysisOptions options;
    options.sharing = std::make_shared<Sharing>(AnalysisOptions());
    for (const trace::Event& e : events) options.sharing->on_event(e);
    options.sharing->finish();
    const Outcome outcome = run<CausallyPrecedes>(events, options);
    EXPECT_EQ(outcome.pairs(), run<CausallyPrecedes>(events).pairs());
    spared += options.sharing->rival_locations() == 0;
    racy += !outcome.pairs().empty();
  };
  for (uint64_t seed = 0; seed < 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare(random_sections(seed).events);
    compare(judge::random_trace(seed, {.threads = 2 + static_cast<uint32_t>(seed % 3),
                                       .events = 10 + static_cast<uint32_t>(seed % 30)})
                .events);
  }
  EXPECT_GT(spared, 100u);
  EXPECT_GT(racy, 1000u);
}

// HB contains CP contains WCP, so the races of each are among those of the next.
TEST(WeakOrderContainment, EachOrderContainsTheNext) {
  size_t cp_only = 0, wcp_only = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const trace::Trace trace = random_sections(seed);
    const NaiveCausallyPrecedes cp(trace.events, WeakOrder::causally_precedes);
    const NaiveCausallyPrecedes wcp(trace.events, WeakOrder::wcp);
    for (size_t b = 0; b < trace.events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        ASSERT_LE(wcp.before(a, b), cp.before(a, b)) << seed;
        ASSERT_LE(cp.before(a, b), cp.happens_before().before(a, b)) << seed;
        cp_only += cp.race(a, b) && cp.happens_before().before(a, b);
        wcp_only += wcp.race(a, b) && cp.before(a, b);
      }
    }
  }
  EXPECT_GT(cp_only, 1000u);
  EXPECT_GT(wcp_only, 200u);
}

}  // namespace
}  // namespace foretell::analysis

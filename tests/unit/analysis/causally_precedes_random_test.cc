// causally_precedes against the naive closure of definition 5, on random traces.
#include <set>

#include "analysis/race/causally_precedes/causally_precedes.h"
#include "unit/analysis/naive_causally_precedes.h"
#include "unit/analysis/race_fixture.h"
#include "unit/analysis/random_sections.h"
#include "unit/order/random_trace.h"

namespace foretell {
namespace {

using Seconds = std::set<size_t>;

// Reports a disagreement; returns the number of races beyond happens-before's.
size_t compare(std::span<const Event> events) {
  const NaiveCausallyPrecedes naive(events, WeakOrder::causally_precedes);
  Seconds expected, reported;
  size_t more = 0;
  for (size_t b = 0; b < events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (!naive.race(a, b)) continue;
      expected.insert(b);
      more += naive.happens_before().before(a, b);
    }
  }
  for (auto [first, second] : run<CausallyPrecedes>(events).pairs()) {
    EXPECT_TRUE(naive.race(first, second)) << first << ", " << second;
    reported.insert(second);
  }
  EXPECT_EQ(reported, expected);
  return more;
}

TEST(CausallyPrecedesRandom, IsTheClosureOnNestedLocks) {
  size_t more = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    const Trace trace = random_sections(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_tiddle(trace));
    more += compare(trace.events);
    if (HasFailure()) return;
  }
  EXPECT_GT(more, 6000u);
}

TEST(CausallyPrecedesRandom, IsTheClosureOnEveryKindOfEvent) {
  size_t more = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const RandomTrace trace = random_trace(seed, {.threads = 2 + static_cast<uint32_t>(seed % 4),
                                                  .events = 20 + static_cast<uint32_t>(seed % 40)});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_tiddle(trace.raw));
    more += compare(trace.events);
    if (HasFailure()) return;
  }
  EXPECT_GT(more, 300u);
}

}  // namespace
}  // namespace foretell

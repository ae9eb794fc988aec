// SPDX-License-Identifier: Apache-2.0

// A reduced trace has races on the same locations as the whole one.
#include <set>

#include "analysis/race/causally_precedes/causally_precedes.h"
#include "analysis/race/happens_before/happens_before.h"
#include "trace/reduction.h"
#include "unit/analysis/race_fixture.h"
#include "unit/analysis/random_sections.h"
#include "unit/judge/random_trace.h"

namespace foretell::analysis {
namespace {

// Space and byte: reduced traces have fewer boundaries, so cells may be larger.
using Bytes = std::set<std::pair<std::string, uint64_t>>;

template <class Detector>
Bytes racing_bytes(const trace::Trace& normal) {
  Bytes bytes;
  for (const auto& race : run<Detector>(normal.events).races) {
    const trace::Location range = normal.cells[race.location].range;
    const std::string space(normal.tables.strings[range.space]);
    for (uint64_t i = 0; i < std::max<uint64_t>(range.size, 1); ++i) {
      bytes.emplace(space, range.offset + i);
    }
  }
  return bytes;
}

trace::Trace reduced(const trace::Trace& raw) {
  trace::Trace result;
  result.tables = raw.tables;
  trace::Reduction reduction(raw.tables);
  for (const trace::Event& e : raw.events) EXPECT_TRUE(reduction.look_at(e));
  for (const trace::Event& e : raw.events) {
    if (!*reduction.keeps(e)) continue;
    result.events.push_back(trace::Reduction::without_values(e));
    result.events.back().index = EventIndex{result.events.size() - 1};
  }
  return result;
}

// Returns how many events were left out.
size_t compare(const trace::Trace& raw) {
  const trace::Trace smaller = reduced(raw);
  auto whole = normalize(raw);
  auto rest = normalize(smaller);
  EXPECT_TRUE(whole && rest);
  if (!whole || !rest) return 0;
  EXPECT_EQ(racing_bytes<HappensBefore>(*rest), racing_bytes<HappensBefore>(*whole));
  EXPECT_EQ(racing_bytes<CausallyPrecedes>(*rest), racing_bytes<CausallyPrecedes>(*whole));
  return raw.events.size() - smaller.events.size();
}

TEST(ReductionRaces, AreTheSameOnEveryKindOfEvent) {
  size_t left_out = 0;
  for (uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    const judge::RandomTrace trace =
        judge::random_trace(seed, {.threads = 2 + static_cast<uint32_t>(seed % 4),
                                   .locations = 2 + static_cast<uint32_t>(seed % 3),
                                   .events = 20 + static_cast<uint32_t>(seed % 60)});
    // What the generator tried in vain may have left traces in its state: not all of them are runs.
    if (!normalize(trace.raw)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_tiddle(trace.raw));
    left_out += compare(trace.raw);
  }
  EXPECT_GT(left_out, 3000u);
}

TEST(ReductionRaces, AreTheSameOnNestedLocks) {
  size_t left_out = 0;
  for (uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    const trace::Trace trace = random_sections(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + print_tiddle(trace));
    left_out += compare(trace);
  }
  EXPECT_GT(left_out, 1000u);
}

}  // namespace
}  // namespace foretell::analysis

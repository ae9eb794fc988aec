// SPDX-License-Identifier: Apache-2.0

#include "clocks/sync_edges.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/clocks/naive_happens_before.h"
#include "unit/judge/random_trace.h"

namespace foretell::clocks {
namespace {

// The closure of the edges and of program order, by position.
std::vector<std::vector<bool>> closure(const std::vector<trace::Event>& events) {
  std::vector<std::vector<bool>> before(events.size(), std::vector<bool>(events.size(), false));
  SyncEdges edges;
  for (size_t b = 0; b < events.size(); ++b) {
    std::vector<size_t> direct;
    for (const SyncEdge& edge : edges.on_event(events[b])) {
      EXPECT_EQ(edge.to, events[b].index);
      direct.push_back(to_index(edge.from));
    }
    for (size_t a = 0; a < b; ++a) {
      if (events[a].thread == events[b].thread) direct.push_back(a);
    }
    for (size_t a : direct) {
      before[a][b] = true;
      for (size_t x = 0; x < a; ++x) {
        if (before[x][a]) before[x][b] = true;
      }
    }
  }
  return before;
}

TEST(SyncEdges, CloseToHappensBeforeOnRandomTraces) {
  size_t ordered = 0, unordered = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    const judge::RandomTrace trace =
        judge::random_trace(seed, {.threads = 2 + static_cast<uint32_t>(seed % 5)});
    const NaiveHappensBefore naive(trace.events);
    const auto before = closure(trace.events);
    for (size_t b = 0; b < trace.events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        ASSERT_EQ(before[a][b], naive.before(a, b))
            << "seed " << seed << ", events " << a << " and " << b;
        ++(before[a][b] ? ordered : unordered);
      }
    }
  }
  EXPECT_GT(ordered, 10'000u);
  EXPECT_GT(unordered, 10'000u);
}

TEST(SyncEdges, OnlyTheLastReleaseOfALockIsAnEdge) {
  const ThreadId one{0}, two{1};
  auto event = [](uint64_t index, ThreadId thread, trace::EventKind kind) {
    return trace::Event{.kind = kind, .thread = thread, .index = EventIndex{index}};
  };
  SyncEdges edges;
  for (uint64_t i = 0; i < 4; i += 2) {
    EXPECT_TRUE(edges.on_event(event(i, one, trace::EventKind::Acquire)).empty());
    EXPECT_TRUE(edges.on_event(event(i + 1, one, trace::EventKind::Release)).empty());
  }
  const SyncEdge expected{EventIndex{3}, EventIndex{4}, SyncEdgeKind::lock};
  EXPECT_EQ(edges.on_event(event(4, two, trace::EventKind::Acquire)), std::vector{expected});
}

}  // namespace
}  // namespace foretell::clocks

// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/trace/ftrace_testing.h"

namespace foretell::trace {
namespace {

SyntheticOptions full(uint64_t seed) {
  return {.seed = seed,
          .events = 30'000,
          .threads = 5,
          .locks = 7,
          .nesting = 3,
          .locations = 500,
          .sites = 100,
          .quantum = 7,
          .racy_weight = 10,
          .atomics = 30,
          .barrier_every = 3'000,
          .values = true};
}

double share(const Trace& trace, bool (*predicate)(EventKind)) {
  size_t count = 0;
  for (const Event& e : trace.events) count += predicate(e.kind);
  return static_cast<double>(count) / static_cast<double>(trace.events.size());
}

TEST(Synthetic, IsWellFormed) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto normalized = normalize(synthetic_trace(full(seed)));
    ASSERT_TRUE(normalized) << seed << ": " << normalized.error().to_text();
  }
}

TEST(Synthetic, IsWellFormedAtTheEdges) {
  const SyntheticOptions edges[] = {
      {.events = 0, .threads = 1},
      {.events = 1000, .threads = 1, .locks = 0, .locations = 6},
      {.events = 4 * 999, .threads = 1000, .locations = 2000},
      {.events = 50'000, .threads = 1000, .locks = 1, .locations = 2000, .barrier_every = 5000},
      {.events = 20'000, .threads = 2, .locks = 100'000, .locations = 50, .sites = 1},
      {.events = 20'000, .accesses = 1, .atomics = 100},
      {.events = 20'000, .accesses = 100, .reads = 0},
      {.events = 20'000, .blocks = 50},
      {.events = 20'000, .inversions = 100},
      {.events = 20'000, .threads = 2, .locks = 0, .waits = 100},
      {.events = 20'000, .inversions = 30, .waits = 60},
  };
  for (const SyntheticOptions& options : edges) {
    auto normalized = normalize(synthetic_trace(options));
    EXPECT_TRUE(normalized) << normalized.error().to_text();
  }
}

TEST(Synthetic, TheSameSeedGivesTheSameTrace) {
  EXPECT_EQ(synthetic_trace(full(4)).events, synthetic_trace(full(4)).events);
  EXPECT_NE(synthetic_trace(full(4)).events, synthetic_trace(full(5)).events);
}

// Guards the promise that a seed means the same trace on every machine and in every build.
TEST(Synthetic, ASeedMeansTheSameTraceEverywhere) {
  const std::string text = print_tiddle(synthetic_trace(full(1)));
  EXPECT_EQ(XXH3_64bits(text.data(), text.size()), 17368900614451345048u);
}

TEST(Synthetic, BatchesDoNotMatter) {
  const Trace whole = synthetic_trace(full(2));
  auto source = SyntheticTrace::create(full(2));
  std::vector<Event> events, one(1);
  while ((*source)->next(one) == 1) events.push_back(one[0]);
  EXPECT_EQ(events, whole.events);
}

TEST(Synthetic, KeepsTheShareOfAccessesAndReads) {
  const Trace trace = synthetic_trace({.events = 200'000,
                                       .accesses = 80,
                                       .reads = 60,
                                       .thread_local_weight = 1,
                                       .protected_weight = 1,
                                       .read_shared_weight = 0});
  EXPECT_NEAR(share(trace, is_plain_access), 0.80, 0.01);
  EXPECT_NEAR(share(trace, [](EventKind k) { return k == EventKind::Read; }), 0.48, 0.05);
}

TEST(Synthetic, NestsLocksAsDeepAsAsked) {
  const Trace trace = synthetic_trace({.events = 50'000, .threads = 4, .nesting = 4});
  std::map<ThreadId, int> depth;
  int deepest = 0;
  for (const Event& e : trace.events) {
    if (e.kind == EventKind::Acquire) deepest = std::max(deepest, ++depth[e.thread]);
    if (e.kind == EventKind::Release) --depth[e.thread];
  }
  EXPECT_EQ(deepest, 4);
}

// Lockset and ownership: a location of a race-free trace that is written has one thread, or one
// lock that is always held.
TEST(Synthetic, WithoutRacyWeightEveryWrittenLocationHasAnOwner) {
  const Trace trace = synthetic_trace({.seed = 9, .events = 100'000, .locations = 2'000});
  std::map<ThreadId, std::set<uint32_t>> held;
  struct Use {
    std::set<ThreadId> threads;
    std::set<uint32_t> locks;
    bool written = false;
  };
  std::map<uint32_t, Use> uses;
  for (const Event& e : trace.events) {
    if (e.kind == EventKind::Acquire) held[e.thread].insert(e.object);
    if (e.kind == EventKind::Release) held[e.thread].erase(e.object);
    if (!is_plain_access(e.kind)) continue;
    auto [it, first] = uses.try_emplace(e.object);
    Use& use = it->second;
    if (first) use.locks = held[e.thread];
    std::erase_if(use.locks, [&](uint32_t lock) { return !held[e.thread].contains(lock); });
    use.threads.insert(e.thread);
    use.written |= e.kind == EventKind::Write;
  }
  size_t shared = 0;
  for (const auto& [location, use] : uses) {
    if (!use.written || use.threads.size() == 1) continue;
    ++shared;
    EXPECT_FALSE(use.locks.empty()) << location;
  }
  EXPECT_GT(shared, 100u);
}

TEST(Synthetic, ForksFirstAndJoinsLast) {
  const Trace trace = synthetic_trace({.events = 10'000, .threads = 4});
  EXPECT_EQ(trace.events.front().kind, EventKind::Fork);
  EXPECT_EQ(trace.events.back().kind, EventKind::Join);
}

TEST(Synthetic, BlocksBeginAndEndInTheirThread) {
  std::map<ThreadId, int> open;
  size_t blocks = 0;
  for (const Event& e : synthetic_trace({.events = 10'000, .blocks = 30}).events) {
    if (e.kind == EventKind::BlockBegin) EXPECT_EQ(++open[e.thread], 1);
    if (e.kind == EventKind::BlockEnd) EXPECT_EQ(--open[e.thread], 0);
    blocks += e.kind == EventKind::BlockEnd;
  }
  EXPECT_GT(blocks, 50u);
}

TEST(Synthetic, ImpossibleOptionsAreUsageErrors) {
  const SyntheticOptions impossible[] = {{.threads = 0},
                                         {.events = 3, .threads = 2},
                                         {.threads = 50, .locations = 50},
                                         {.reads = 101},
                                         {.blocks = 101},
                                         {.accesses = 0}};
  for (const SyntheticOptions& options : impossible) {
    auto trace = SyntheticTrace::create(options);
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().exit_code, ExitCode::usage);
  }
}

}  // namespace
}  // namespace foretell::trace

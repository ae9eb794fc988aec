// SPDX-License-Identifier: Apache-2.0

#include "clocks/vector_clock.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace foretell::clocks {
namespace {

Epoch at(uint32_t thread, Time time) {
  return Epoch(ThreadId{thread}, time);
}

VectorClock clock_of(std::initializer_list<Epoch> components) {
  VectorClock clock;
  for (Epoch e : components) clock.raise(e);
  return clock;
}

TEST(Epoch, HoldsThreadAndTimeAtTheirLimits) {
  const Epoch e = at(Epoch::kThreads - 1, Epoch::kLastTime);
  EXPECT_EQ(to_index(e.thread()), Epoch::kThreads - 1);
  EXPECT_EQ(e.time(), Epoch::kLastTime);
}

TEST(Epoch, NextIsTheSameThreadOneLater) {
  EXPECT_EQ(at(5, 7).next(), at(5, 8));
}

TEST(VectorClock, StartsAtZero) {
  const VectorClock clock;
  EXPECT_TRUE(clock.is_zero());
  EXPECT_EQ(clock[ThreadId{0}], 0u);
  EXPECT_EQ(clock[ThreadId{9999}], 0u);
}

TEST(VectorClock, RaiseNeverLowers) {
  VectorClock clock = clock_of({at(1, 5), at(2, 5)});
  clock.raise(at(1, 3));
  clock.raise(at(2, 3));
  EXPECT_EQ(clock[ThreadId{1}], 5u);
  EXPECT_EQ(clock[ThreadId{2}], 5u);
}

TEST(VectorClock, JoinTakesTheLargerOfEachComponent) {
  VectorClock a = clock_of({at(0, 1), at(1, 9), at(40, 2)});
  a.join(clock_of({at(40, 7), at(1, 3), at(2, 4)}));
  EXPECT_EQ(a, clock_of({at(0, 1), at(1, 9), at(2, 4), at(40, 7)}));
}

TEST(VectorClock, LeqIsPointwise) {
  const VectorClock small = clock_of({at(0, 1), at(30, 2)});
  const VectorClock large = clock_of({at(30, 2), at(0, 2), at(90, 1)});
  EXPECT_TRUE(small.leq(large));
  EXPECT_FALSE(large.leq(small));
}

TEST(VectorClock, ConcurrentClocksAreNotLeqEitherWay) {
  const VectorClock a = clock_of({at(0, 2), at(1, 1)});
  const VectorClock b = clock_of({at(0, 1), at(1, 2)});
  EXPECT_FALSE(a.leq(b));
  EXPECT_FALSE(b.leq(a));
}

TEST(VectorClock, ChangingACopyLeavesTheOriginalAlone) {
  const VectorClock original = clock_of({at(0, 1), at(1, 1), at(2, 1)});
  VectorClock copy = original;
  copy.raise(at(1, 5));
  copy.increment_head();
  EXPECT_EQ(original[ThreadId{1}], 1u);
  EXPECT_EQ(original[ThreadId{0}], 1u);
  EXPECT_EQ(copy[ThreadId{1}], 5u);
  EXPECT_EQ(copy[ThreadId{0}], 2u);
}

TEST(VectorClock, JoiningWithItselfChangesNothing) {
  VectorClock clock = clock_of({at(0, 1), at(1, 2)});
  clock.join(VectorClock(clock));
  EXPECT_EQ(clock, clock_of({at(1, 2), at(0, 1)}));
}

// A population of clocks that copy, raise and join, beside maps that do the same.
TEST(VectorClock, AgreesWithAMap) {
  constexpr uint32_t kClocks = 8, kThreads = 70;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
    VectorClock clocks[kClocks];
    std::map<uint32_t, Time> maps[kClocks];
    for (int step = 0; step < 200; ++step) {
      const uint32_t i = below(kClocks), j = below(kClocks), thread = below(kThreads);
      switch (below(3)) {
        case 0: {
          const Time time = below(50) + 1;
          clocks[i].raise(at(thread, time));
          maps[i][thread] = std::max(maps[i][thread], time);
          break;
        }
        case 1:
          clocks[i].join(clocks[j]);
          for (auto [t, time] : maps[j]) maps[i][t] = std::max(maps[i][t], time);
          break;
        case 2:
          clocks[i] = clocks[j];
          maps[i] = maps[j];
          break;
      }
      bool leq = true;
      for (uint32_t t = 0; t < kThreads; ++t) {
        ASSERT_EQ(clocks[i][ThreadId{t}], maps[i][t]) << "seed " << seed << " step " << step;
        leq &= maps[i][t] <= maps[j][t];
      }
      ASSERT_EQ(clocks[i].leq(clocks[j]), leq) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace foretell::clocks

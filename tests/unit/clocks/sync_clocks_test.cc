// SPDX-License-Identifier: Apache-2.0

// Each edge of clocks/sync_clocks.h: present where it belongs, absent where it does not.
#include "clocks/sync_clocks.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"
#include "unit/clocks/naive_happens_before.h"
#include "unit/judge/random_trace.h"

namespace foretell::clocks {
namespace {

trace::Trace trace_of(std::string_view text) {
  auto raw = trace::parse_tiddle(text);
  EXPECT_TRUE(raw.has_value()) << raw.error().to_text();
  auto normal = normalize(std::move(*raw));
  EXPECT_TRUE(normal.has_value()) << normal.error().to_text();
  return std::move(*normal);
}

// The epoch and the clock of every event.
struct Stamp {
  Epoch epoch;
  VectorClock clock;
};
std::vector<Stamp> stamps_of(std::span<const trace::Event> events) {
  SyncClocks clocks;
  std::vector<Stamp> stamps;
  for (const trace::Event& e : events) {
    if (is_access(e.kind)) {
      clocks.before_access(e);
      stamps.push_back({clocks.epoch(e.thread), clocks.clock(e.thread)});
      clocks.after_access(e);
    } else {
      // What an event publishes carries the epoch before it, what it learns is there after it.
      const Epoch epoch = clocks.epoch(e.thread);
      clocks.on_event(e);
      stamps.push_back({epoch, clocks.clock(e.thread)});
    }
  }
  return stamps;
}

std::vector<Stamp> stamps_of(const trace::Trace& trace) {
  return stamps_of(trace.events);
}

// Does the first event of the text happen before its last?
bool first_before_last(std::string_view text) {
  const trace::Trace trace = trace_of(text);
  const std::vector<Stamp> stamps = stamps_of(trace.events);
  return stamps.back().clock.contains(stamps.front().epoch);
}

#define EXPECT_ORDERED(text) EXPECT_TRUE(first_before_last(text))
#define EXPECT_UNORDERED(text) EXPECT_FALSE(first_before_last(text))

TEST(SyncClocks, ProgramOrder) {
  EXPECT_ORDERED("wr 1 x wr 1 y");
}
TEST(SyncClocks, ThreadsStartUnordered) {
  EXPECT_UNORDERED("wr 1 x wr 2 x");
}

TEST(SyncClocks, ReleaseToAcquire) {
  EXPECT_ORDERED("wr 1 x acq 1 m rel 1 m acq 2 m wr 2 x");
}
TEST(SyncClocks, ReleaseToAcquireOfAThirdThreadLater) {
  EXPECT_ORDERED("wr 1 x acq 1 m rel 1 m acq 2 m rel 2 m acq 3 m wr 3 x");
}
TEST(SyncClocks, NotAcrossDifferentLocks) {
  EXPECT_UNORDERED("wr 1 x acq 1 m rel 1 m acq 2 n wr 2 x");
}
TEST(SyncClocks, NotWhatComesAfterTheRelease) {
  EXPECT_UNORDERED("wr 1 x acq 2 m rel 2 m wr 2 x");
  const trace::Trace trace = trace_of("acq 1 m rel 1 m wr 1 x acq 2 m wr 2 x");
  const auto stamps = stamps_of(trace.events);
  EXPECT_FALSE(stamps[4].clock.contains(stamps[2].epoch));
  EXPECT_TRUE(stamps[4].clock.contains(stamps[1].epoch));
}
TEST(SyncClocks, RequestsAndFailedTriesOrderNothing) {
  EXPECT_UNORDERED("wr 1 x req 1 m acq 1 m req 2 m tryfail 2 m wr 2 x");
}

TEST(SyncClocks, ExclusiveReleaseToSharedAcquire) {
  EXPECT_ORDERED("wr 1 x acq 1 m rel 1 m sacq 2 m wr 2 x");
}
TEST(SyncClocks, SharedReleaseToExclusiveAcquire) {
  EXPECT_ORDERED("wr 1 x sacq 1 m srel 1 m acq 2 m wr 2 x");
}
TEST(SyncClocks, EverySharedReleaseToExclusiveAcquire) {
  EXPECT_ORDERED("wr 1 x sacq 1 m sacq 3 m srel 1 m srel 3 m acq 2 m wr 2 x");
}
TEST(SyncClocks, SharedReleaseNotToSharedAcquire) {
  EXPECT_UNORDERED("wr 1 x sacq 1 m srel 1 m sacq 2 m wr 2 x");
}
TEST(SyncClocks, SharedReleaseReachesSharedAcquireThroughAWriter) {
  EXPECT_ORDERED("wr 1 x sacq 1 m srel 1 m acq 3 m rel 3 m sacq 2 m wr 2 x");
}

TEST(SyncClocks, ForkToChild) {
  EXPECT_ORDERED("wr 1 x fork 1 2 wr 2 x");
}
TEST(SyncClocks, ForkNotFromWhatComesAfter) {
  const auto stamps = stamps_of(trace_of("fork 1 2 wr 1 x wr 2 x"));
  EXPECT_FALSE(stamps[2].clock.contains(stamps[1].epoch));
}
TEST(SyncClocks, ChildToJoin) {
  EXPECT_ORDERED("wr 2 x join 1 2 wr 1 x");
}
TEST(SyncClocks, EndOfChildToJoin) {
  EXPECT_ORDERED("exit 2 join 1 2");
}
TEST(SyncClocks, SiblingsAreUnordered) {
  EXPECT_FALSE([] {
    const auto stamps = stamps_of(trace_of("fork 1 2 fork 1 3 wr 2 x wr 3 x"));
    return stamps[3].clock.contains(stamps[2].epoch);
  }());
}

TEST(SyncClocks, WaitReleasesItsLock) {
  EXPECT_ORDERED("wr 1 x acq 1 m wait 1 c m acq 2 m wr 2 x");
}
TEST(SyncClocks, WakeAcquiresItsLock) {
  const auto stamps =
      stamps_of(trace_of("acq 1 m wait 1 c m acq 2 m wr 2 x rel 2 m wake 1 c m spurious wr 1 x"));
  EXPECT_TRUE(stamps.back().clock.contains(stamps[3].epoch));
}
TEST(SyncClocks, NotifyToTheWakeItServed) {
  const auto stamps = stamps_of(trace_of("acq 1 m wait 1 c m wr 2 x notify 2 c wake 1 c m wr 1 x"));
  EXPECT_TRUE(stamps.back().clock.contains(stamps[2].epoch));
}
TEST(SyncClocks, NotifyNotToASpuriousWake) {
  const auto stamps =
      stamps_of(trace_of("acq 1 m wait 1 c m wr 2 x notify 2 c wake 1 c m spurious wr 1 x"));
  EXPECT_FALSE(stamps.back().clock.contains(stamps[2].epoch));
}
TEST(SyncClocks, NotifyNotToAWakeAnotherServed) {
  const auto stamps = stamps_of(
      trace_of("acq 1 m wait 1 c m wr 2 x notify 2 c #1 notify 3 c #2 wake 1 c m #2 wr 1 x"));
  EXPECT_FALSE(stamps.back().clock.contains(stamps[2].epoch));
  EXPECT_TRUE(stamps.back().clock.contains(stamps[4].epoch));
}
TEST(SyncClocks, NotifyAllToEachWake) {
  const auto stamps = stamps_of(
      trace_of("acq 1 m wait 1 c m acq 3 n wait 3 c n wr 2 x notifyall 2 c wake 1 c m wake 3 c n"));
  EXPECT_TRUE(stamps[6].clock.contains(stamps[4].epoch));
  EXPECT_TRUE(stamps[7].clock.contains(stamps[4].epoch));
}

TEST(SyncClocks, EveryEnterToEveryLeave) {
  const auto stamps = stamps_of(trace_of("wr 1 x enter 1 b wr 2 y enter 2 b leave 1 b leave 2 b"));
  EXPECT_TRUE(stamps[4].clock.contains(stamps[2].epoch));
  EXPECT_TRUE(stamps[5].clock.contains(stamps[0].epoch));
}
TEST(SyncClocks, WhatComesAfterTheEnterIsNotCovered) {
  const auto stamps = stamps_of(trace_of("enter 1 b enter 2 b leave 1 b wr 1 x leave 2 b wr 2 x"));
  EXPECT_FALSE(stamps[5].clock.contains(stamps[3].epoch));
}
TEST(SyncClocks, LateLeaveSeesItsOwnGenerationOnly) {
  const auto stamps = stamps_of(
      trace_of("wr 3 z enter 1 b enter 3 b leave 3 b enter 2 b enter 3 b leave 2 b leave 3 b "
               "wr 2 x enter 2 b leave 2 b leave 1 b"));
  EXPECT_TRUE(stamps.back().clock.contains(stamps[0].epoch));
  EXPECT_FALSE(stamps.back().clock.contains(stamps[4].epoch));
}

TEST(SyncClocks, PostToTheDownItServed) {
  EXPECT_ORDERED("wr 1 x post 1 s down 2 s wr 2 x");
}
TEST(SyncClocks, DownFromTheInitialCountLearnsNothing) {
  EXPECT_UNORDERED("wr 1 x post 1 s down 2 s initial wr 2 x");
}
TEST(SyncClocks, DownLearnsFromItsOwnPostOnly) {
  EXPECT_UNORDERED("wr 1 x post 1 s #1 post 3 s #2 down 2 s #2 wr 2 x");
  EXPECT_ORDERED("wr 1 x post 1 s #1 post 3 s #2 down 2 s #1 wr 2 x");
}

struct OrderCase {
  const char* store;
  const char* load;
  bool synchronizes;
};
class MessagePassing : public testing::TestWithParam<OrderCase> {};
TEST_P(MessagePassing, SynchronizesExactlyForReleaseAndAcquire) {
  const auto& [store, load, synchronizes] = GetParam();
  const std::string text = fmt::format("wr 1 x\nawr 1 f {}\nard 2 f {}\nwr 2 x\n", store, load);
  EXPECT_EQ(first_before_last(text), synchronizes) << text;
}
INSTANTIATE_TEST_SUITE_P(
    Orders, MessagePassing,
    testing::Values(OrderCase{"rel", "acq", true}, OrderCase{"rel", "con", true},
                    OrderCase{"sc", "sc", true}, OrderCase{"rel", "sc", true},
                    OrderCase{"sc", "acq", true}, OrderCase{"ar", "ar", true},
                    OrderCase{"rel", "rlx", false}, OrderCase{"rlx", "acq", false},
                    OrderCase{"rlx", "rlx", false}, OrderCase{"sc", "rlx", false},
                    OrderCase{"rlx", "sc", false}, OrderCase{"acq", "acq", false},
                    OrderCase{"rel", "rel", false}));

TEST(Atomics, DifferentLocationsDoNotSynchronize) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rel\nard 2 g acq\nwr 2 x\n");
}
TEST(Atomics, ReadingBeforeTheWriteLearnsNothing) {
  EXPECT_FALSE([] {
    const auto stamps = stamps_of(trace_of("wr 1 x\nard 2 f acq\nawr 1 f rel\nwr 2 x\n"));
    return stamps[3].clock.contains(stamps[0].epoch);
  }());
}
TEST(Atomics, RelaxedRmwContinuesAReleaseSequence) {
  EXPECT_ORDERED("wr 1 x\nawr 1 f rel\nrmw 3 f rlx\nard 2 f acq\nwr 2 x\n");
}
TEST(Atomics, RelaxedStoreBreaksAReleaseSequence) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rel\nawr 3 f rlx\nard 2 f acq\nwr 2 x\n");
}
TEST(Atomics, EvenARelaxedStoreOfTheSameThreadBreaksIt) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rel\nawr 1 f rlx\nard 2 f acq\nwr 2 x\n");
}
TEST(Atomics, ReleaseStoreHidesTheOneBefore) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rel\nawr 3 f rel\nard 2 f acq\nwr 2 x\n");
}
TEST(Atomics, ReleasingRmwAddsItselfToTheSequence) {
  EXPECT_ORDERED("wr 1 x\nawr 1 f rel\nrmw 3 f rel\nard 2 f acq\nwr 2 x\n");
  const auto stamps = stamps_of(trace_of("awr 1 f rel\nwr 3 x\nrmw 3 f rel\nard 2 f acq\n"));
  EXPECT_TRUE(stamps[3].clock.contains(stamps[1].epoch));
}
TEST(Atomics, AcquiringRmwReads) {
  EXPECT_ORDERED("wr 1 x\nawr 1 f rel\nrmw 2 f acq\nwr 2 x\n");
}
TEST(Atomics, RmwOfAThirdThreadDoesNotAcquireForItself) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rel\nrmw 3 f rlx\nwr 3 x\n");
}
TEST(Atomics, FreedMemoryCarriesNoRelease) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rel\nfree 3 f\nard 2 f acq\nwr 2 x\n");
}

TEST(Fences, ReleaseFenceBeforeARelaxedStore) {
  EXPECT_ORDERED("wr 1 x\nfence 1 rel\nawr 1 f rlx\nard 2 f acq\nwr 2 x\n");
}
TEST(Fences, AcquireFenceAfterARelaxedLoad) {
  EXPECT_ORDERED("wr 1 x\nawr 1 f rel\nard 2 f rlx\nfence 2 acq\nwr 2 x\n");
}
TEST(Fences, FenceToFence) {
  EXPECT_ORDERED("wr 1 x\nfence 1 rel\nawr 1 f rlx\nard 2 f rlx\nfence 2 acq\nwr 2 x\n");
  EXPECT_ORDERED("wr 1 x\nfence 1 sc\nawr 1 f rlx\nard 2 f rlx\nfence 2 sc\nwr 2 x\n");
}
TEST(Fences, ReleaseFenceAfterTheStoreIsTooLate) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rlx\nfence 1 rel\nard 2 f acq\nwr 2 x\n");
}
TEST(Fences, AcquireFenceBeforeTheLoadIsTooEarly) {
  EXPECT_UNORDERED("wr 1 x\nawr 1 f rel\nfence 2 acq\nard 2 f rlx\nwr 2 x\n");
}
TEST(Fences, WhatComesBetweenFenceAndStoreIsNotReleased) {
  const auto stamps = stamps_of(trace_of("fence 1 rel\nwr 1 x\nawr 1 f rlx\nard 2 f acq\n"));
  EXPECT_FALSE(stamps[3].clock.contains(stamps[1].epoch));
  EXPECT_TRUE(stamps[3].clock.contains(stamps[0].epoch));
}
TEST(Fences, WrongWayRoundFencesDoNothing) {
  EXPECT_UNORDERED("wr 1 x\nfence 1 acq\nawr 1 f rlx\nard 2 f rlx\nfence 2 rel\nwr 2 x\n");
}
TEST(Fences, ReleaseFenceReachesThroughARelaxedRmw) {
  EXPECT_ORDERED("wr 1 x\nfence 1 rel\nrmw 1 f rlx\nrmw 3 f rlx\nard 2 f acq\nwr 2 x\n");
}

// PREDICT, figure 8.2: C_1, C_2 after each step of γ (figure 7.2).
TEST(SyncClocks, Figure82StepByStep) {
  const trace::Trace gamma = trace_of("wr 1 x acq 1 m rel 1 m acq 2 m rel 2 m wr 2 x");
  const ThreadId one{0}, two{1};
  const Time expected[][4] = {
      // C_1(1) C_1(2)  C_2(1) C_2(2)
      {1, 0, 0, 1}, {1, 0, 0, 1}, {2, 0, 0, 1}, {2, 0, 1, 1}, {2, 0, 1, 2}, {2, 0, 1, 2},
  };
  SyncClocks clocks;
  for (size_t i = 0; i < gamma.events.size(); ++i) {
    clocks.on_event(gamma.events[i]);
    EXPECT_EQ(clocks.clock(one)[one], expected[i][0]) << i;
    EXPECT_EQ(clocks.clock(one)[two], expected[i][1]) << i;
    EXPECT_EQ(clocks.clock(two)[one], expected[i][2]) << i;
    EXPECT_EQ(clocks.clock(two)[two], expected[i][3]) << i;
  }
}

TEST(SyncClocks, OrderAfterCoversTheThreadUpToNowOnly) {
  SyncClocks clocks;
  const ThreadId one{0}, two{1};
  const Epoch before = clocks.epoch(one);
  clocks.order_after(one, two);
  EXPECT_TRUE(clocks.clock(two).contains(before));
  EXPECT_FALSE(clocks.clock(two).contains(clocks.epoch(one)));
}

TEST(SyncClocks, ThreadIdsWithGaps) {
  SyncClocks clocks;
  const ThreadId far{100000}, near{3};
  clocks.on_event({.kind = trace::EventKind::Acquire, .thread = far, .object = 7});
  const Epoch epoch = clocks.epoch(far);
  clocks.on_event({.kind = trace::EventKind::Release, .thread = far, .object = 7});
  clocks.on_event({.kind = trace::EventKind::Acquire, .thread = near, .object = 7});
  EXPECT_TRUE(clocks.clock(near).contains(epoch));
  EXPECT_EQ(clocks.clock(near)[ThreadId{50000}], 0u);
}

TEST(SyncClocks, TenThousandThreadsHandALockRound) {
  constexpr uint32_t kThreads = 10000;
  SyncClocks clocks;
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t t = 0; t < kThreads; ++t) {
      clocks.on_event({.kind = trace::EventKind::Acquire, .thread = ThreadId{t}});
      clocks.on_event({.kind = trace::EventKind::Release, .thread = ThreadId{t}});
    }
  }
  const VectorClock& last = clocks.clock(ThreadId{kThreads - 1});
  for (uint32_t t = 0; t < kThreads; ++t) EXPECT_GE(last[ThreadId{t}], 2u) << t;
  EXPECT_EQ(clocks.clock(ThreadId{0})[ThreadId{1}], 1u);
}

TEST(SyncClocks, TenThousandThreadsAtABarrier) {
  constexpr uint32_t kThreads = 10000;
  SyncClocks clocks;
  for (uint32_t t = 0; t < kThreads; ++t) {
    clocks.on_event({.kind = trace::EventKind::BarrierEnter, .thread = ThreadId{t}});
  }
  for (uint32_t t = 0; t < kThreads; ++t) {
    clocks.on_event({.kind = trace::EventKind::BarrierExit, .thread = ThreadId{t}});
  }
  for (uint32_t t = 0; t < kThreads; t += 999) {
    EXPECT_EQ(clocks.clock(ThreadId{0})[ThreadId{t}], t == 0 ? 2u : 1u);
    EXPECT_EQ(clocks.clock(ThreadId{t})[ThreadId{kThreads - 1}], 1u);
  }
}

TEST(SyncClocks, AgreeWithTheTransitiveClosureOnRandomTraces) {
  uint64_t ordered = 0, unordered = 0;
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    const judge::RandomTrace trace =
        judge::random_trace(seed, {.threads = 2 + static_cast<uint32_t>(seed % 5)});
    const NaiveHappensBefore naive(trace.events);
    const std::vector<Stamp> stamps = stamps_of(trace.events);
    for (size_t b = 0; b < trace.events.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        ASSERT_EQ(stamps[b].clock.contains(stamps[a].epoch), naive.before(a, b))
            << "seed " << seed << " events " << a << ", " << b << "\n"
            << print_tiddle(trace.raw);
        ++(naive.before(a, b) ? ordered : unordered);
      }
    }
  }
  EXPECT_GT(ordered, 500000u);
  EXPECT_GT(unordered, 500000u);
}

TEST(RandomTrace, MeetsEveryEventKind) {
  std::vector<uint64_t> count(trace::kEventKindCount);
  uint64_t served_wakes = 0, served_downs = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const judge::RandomTrace trace = judge::random_trace(seed);
    for (const trace::Event& e : trace.events) {
      ++count[to_index(e.kind)];
      served_wakes += e.kind == trace::EventKind::WaitEnd && e.partner() != kNoEvent;
      served_downs += e.kind == trace::EventKind::SemaphoreWait && e.partner() != kNoEvent;
    }
  }
  for (uint8_t k = 0; k < trace::kEventKindCount; ++k)
    EXPECT_GT(count[k], 0u) << word_of(trace::EventKind{k});
  EXPECT_GT(served_wakes, 100u);
  EXPECT_GT(served_downs, 100u);
}

}  // namespace
}  // namespace foretell::clocks

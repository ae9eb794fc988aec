// SPDX-License-Identifier: Apache-2.0

#include "judge/reordering.h"

#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

std::string checked(std::string_view text, Interleaving order) {
  auto violation = check_reordering(trace_of(text), order);
  return violation ? std::to_string(violation->step) + ": " + violation->reason : "ok";
}

std::string race(std::string_view text, Interleaving order) {
  auto violation = check_race_witness(trace_of(text), order);
  return violation ? std::to_string(violation->step) + ": " + violation->reason : "ok";
}

TEST(Reordering, RecordedOrderOfRandomTracesIsCorrect) {
  RandomTraces random(1);
  for (int i = 0; i < 1500; ++i) {
    const std::string text = random.next(5 + static_cast<size_t>(i) % 20, 2 + i % 3u);
    const trace::Trace trace = trace_of(text);
    auto violation = check_reordering(trace, recorded_order(trace));
    ASSERT_FALSE(violation) << violation->reason << "\n" << text;
  }
}

TEST(Reordering, AnyPrefixOfThreadsMayBeTaken) {
  EXPECT_EQ(checked("wr 1 x wr 2 y wr 1 y", {1, 0}), "ok");
  EXPECT_EQ(checked("wr 1 x", {}), "ok");
}

TEST(Reordering, SkippedAndRepeatedEventsAreViolations) {
  EXPECT_EQ(checked("wr 1 x wr 1 y", {1}),
            "0: event 1 (wr of thread 1) is not the next event of its thread");
  EXPECT_EQ(checked("wr 1 x", {0, 0}),
            "1: event 0 (wr of thread 1) is not the next event of its thread");
  EXPECT_EQ(checked("wr 1 x", {7}), "0: there is no such event");
}

TEST(Reordering, NamesTheFirstViolation) {
  EXPECT_EQ(checked("acq 1 l rel 1 l acq 2 l", {0, 2}),
            "1: event 2 (acq of thread 2) is not enabled: the lock is held");
}

TEST(RaceWitness, TwoWritesNext) {
  EXPECT_EQ(race("wr 1 x wr 2 x", {0, 1}), "ok");
  EXPECT_EQ(race("wr 1 x wr 2 x", {1, 0}), "ok");
}

TEST(RaceWitness, NeedsTwoClashingAccesses) {
  EXPECT_EQ(race("wr 1 x", {0}), "0: a race needs two accesses");
  EXPECT_EQ(race("rd 1 x rd 2 x", {0, 1}), "0: the two events do not clash");
  EXPECT_EQ(race("awr 1 x awr 2 x", {0, 1}), "0: the two events do not clash");
  EXPECT_EQ(race("wr 1 x wr 1 x", {0, 1}), "0: the two events do not clash");
}

TEST(RaceWitness, RacingReadNeedNotKeepItsWriter) {
  EXPECT_EQ(race("wr 1 x rd 2 x", {0, 1}), "ok");
}

TEST(RaceWitness, BothThreadsMustExist) {
  EXPECT_EQ(race("fork 1 2 wr 1 x wr 2 x", {0, 1, 2}), "ok");
  EXPECT_EQ(race("wr 1 x fork 1 2 wr 2 x", {0, 2}),
            "0: the thread of event 2 (wr of thread 2) has not been forked");
}

TEST(RaceWitness, BothMustBeNextInTheirThreads) {
  EXPECT_EQ(race("acq 1 l wr 1 x wr 2 x", {1, 2}),
            "0: event 1 (wr of thread 1) is not the next event of its thread");
}

TEST(RaceWitness, LocationMustBeAllocated) {
  EXPECT_EQ(race("alloc 1 h wr 2 h wr 3 h", {0, 1, 2}), "ok");
  EXPECT_EQ(race("alloc 1 h wr 2 h wr 3 h", {1, 2}), "0: the location has not been allocated");
}

TEST(RaceWitness, FreeDoesNotBlockItsOwnPartner) {
  EXPECT_EQ(race("free 1 h wr 2 h", {0, 1}), "ok");
  EXPECT_EQ(race("wr 2 h free 1 h", {1, 0}), "ok");
}

TEST(RaceWitness, AnotherFreeBlocks) {
  EXPECT_EQ(race("wr 1 h free 3 h wr 2 h", {0, 2}),
            "0: not the same frees have happened as before event 2 (wr of thread 2)");
}

}  // namespace
}  // namespace foretell::judge

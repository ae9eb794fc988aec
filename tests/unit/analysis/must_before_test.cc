// SPDX-License-Identifier: Apache-2.0

// must_before on the examples of PREDICT, chapters 10 to 16, and its rule for every kind of event.
#include "analysis/race/must_before/must_before.h"

#include "analysis/race/fasttrack/fasttrack.h"
#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {
namespace {

Pairs races(std::string_view text) {
  return run<MustBefore>(text).pairs();
}
// Without the embedded happens-before detector.
uint64_t must_before_races(std::string_view text) {
  return run<MustBefore>(text).counters.at("must-before race");
}

// sync(l) of section 12.1.
std::string sync(std::string_view thread, std::string_view l) {
  return fmt::format("acq {0} {1}\nrd {0} {1}Var\nwr {0} {1}Var\nrel {0} {1}\n", thread, l);
}

TEST(MustBeforeFigures, Figure10_2_A) {
  const char* text =
      "rd 1 count wr 1 count acq 1 this wr 1 radius rel 1 this "
      "acq 2 this rd 2 angle rel 2 this rd 2 count wr 2 count";
  EXPECT_EQ(races(text), (Pairs{{1, 8}}));
  EXPECT_EQ(run<FastTrack>(text).pairs(), Pairs());
}
TEST(MustBeforeFigures, Figure10_2_B) {
  // Happens-before has three pairs; must-before orders thread 2's write by its read.
  const Outcome outcome = run<MustBefore>(
      "acq 2 this rd 2 angle rel 2 this rd 1 count wr 1 count rd 2 count wr 2 count "
      "acq 1 this wr 1 radius rel 1 this");
  EXPECT_EQ(outcome.pairs(), (Pairs{{4, 5}, {4, 5}, {3, 6}, {4, 6}}));
  EXPECT_EQ(outcome.counters.at("must-before race"), 1u);
}
TEST(MustBeforeFigures, Figure1_12AndSection11_1AreOrderedByTheClashInTheSections) {
  EXPECT_EQ(races("wr 1 x acq 1 m wr 1 y rel 1 m acq 2 m rd 2 y rel 2 m wr 2 x"), Pairs());
}
TEST(MustBeforeFigures, Figure1_13SectionsThatOnlyReadDoNotOrder) {
  EXPECT_EQ(races("wr 1 x acq 1 m rd 1 y rel 1 m acq 2 m rd 2 y rel 2 m wr 2 x"), (Pairs{{0, 7}}));
}
TEST(MustBeforeFigures, Section12_1SectionsAreOrderedAsAWhole) {
  // n orders the beginning of thread 1's section of l before the end of thread 2's; the write of x
  // is after n but in the section.
  EXPECT_EQ(races("acq 1 l\n" + sync("1", "n") + "wr 1 x\nrel 1 l\n" + sync("2", "n") +
                  "acq 2 l\nrel 2 l\nwr 2 x\n"),
            Pairs());
  EXPECT_EQ(races("acq 1 l\n" + sync("1", "n") + "wr 1 x\nrel 1 l\n" + "acq 2 l\nrel 2 l\n" +
                  sync("2", "n") + "wr 2 x\n"),
            (Pairs{{5, 13}}));
}
TEST(MustBeforeFigures, Figure12_4) {
  const std::string text = "acq 1 m\n" + sync("1", "o") + "wr 1 x\nacq 1 n\nrel 1 n\nrel 1 m\n" +
                           "acq 2 n\nacq 2 m\nrel 2 m\nwr 2 x\n" + sync("2", "o") + "rel 2 n\n";
  EXPECT_EQ(races(text), (Pairs{{5, 12}}));
}
TEST(MustBeforeFigures, Figure12_5IsNoMustBeforeRace) {
  // It is a CP race, and really a deadlock. Communication order between the writes orders the
  // sections of l, they those of m, and they the writes.
  EXPECT_EQ(races("acq 1 m acq 1 l rel 1 l wr 1 x rel 1 m acq 2 l acq 2 m rel 2 m wr 2 x rel 2 l"),
            Pairs());
}
TEST(MustBeforeFigures, Figure16_2) {
  const Outcome outcome = run<MustBefore>("wr 1 x wr 1 y rd 2 y rd 2 x");
  EXPECT_EQ(outcome.counters.at("must-before race"), 1u);
  EXPECT_EQ(outcome.counters.at("happens-before race"), 2u);
  EXPECT_EQ(outcome.races.back().first.index, EventIndex{0});  // x, from the embedded detector
}

// Whether the writes of x before and after are ordered by what two threads do in between.
bool orders(std::string_view first, std::string_view second) {
  const std::string text = fmt::format("wr 1 x\n{}\n{}\nwr 2 x\n", first, second);
  return must_before_races(text) == 0;
}

TEST(MustBeforeRules, LocksAloneDoNotOrder) {
  EXPECT_FALSE(orders("acq 1 l\nrel 1 l", "acq 2 l\nrel 2 l"));
}
TEST(MustBeforeRules, SharedSectionsNeverOrderEachOther) {
  EXPECT_TRUE(orders("acq 1 l\nwr 1 y\nrel 1 l", "acq 2 l\nwr 2 y\nrel 2 l"));
  EXPECT_TRUE(orders("acq 1 l\nwr 1 y\nrel 1 l", "sacq 2 l\nrd 2 y\nsrel 2 l"));
  EXPECT_TRUE(orders("sacq 1 l\nrd 1 y\nsrel 1 l", "acq 2 l\nwr 2 y\nrel 2 l"));
  EXPECT_FALSE(orders("sacq 1 l\nwr 1 y\nsrel 1 l", "sacq 2 l\nsrel 2 l"));
}
TEST(MustBeforeRules, RequestsAndFailedTriesDoNotOrder) {
  EXPECT_FALSE(orders("req 1 l\nacq 1 l", "req 2 l\ntryfail 2 l\nstryfail 2 l"));
}
TEST(MustBeforeRules, AtomicsOrderWhateverTheirMemoryOrder) {
  EXPECT_TRUE(orders("awr 1 f rlx", "ard 2 f rlx"));
  EXPECT_TRUE(orders("rmw 1 f rlx", "rmw 2 f rlx"));
  EXPECT_TRUE(orders("ard 1 f", "awr 2 f"));
  EXPECT_FALSE(orders("ard 1 f", "ard 2 f"));
  EXPECT_FALSE(orders("fence 1", "fence 2"));
}
TEST(MustBeforeRules, AtomicsRaceWithPlainAccessesOnly) {
  EXPECT_EQ(must_before_races("awr 1 x\nawr 2 x\nrmw 3 x"), 0u);
  EXPECT_EQ(must_before_races("wr 1 x\nard 2 x"), 1u);
  EXPECT_EQ(must_before_races("ard 1 x\nwr 2 x"), 1u);
  EXPECT_EQ(must_before_races("ard 1 x\nrd 2 x"), 0u);
  EXPECT_EQ(must_before_races("rd 1 x\nawr 2 x"), 1u);
}
TEST(MustBeforeRules, AnAtomicWriteDoesNotHideThePlainOneBeforeIt) {
  EXPECT_EQ(must_before_races("wr 1 x\nawr 1 x\nard 2 x"), 1u);
}
TEST(MustBeforeRules, ForkAndJoinOrder) {
  EXPECT_EQ(must_before_races("wr 1 x fork 1 2 wr 2 x join 1 2 wr 1 x"), 0u);
  EXPECT_EQ(must_before_races("fork 1 2 wr 1 x wr 2 x"), 1u);
}
TEST(MustBeforeRules, ANotifyComesBeforeTheWakeItServes) {
  EXPECT_EQ(must_before_races(
                "acq 2 l\nwait 2 c l\nwr 1 x\nnotify 1 c #1\nwake 2 c l #1\nwr 2 x\nrel 2 l\n"),
            0u);
  EXPECT_EQ(
      must_before_races(
          "acq 2 l\nwait 2 c l\nwr 1 x\nnotify 1 c #1\nwake 2 c l spurious\nwr 2 x\nrel 2 l\n"),
      1u);
}
TEST(MustBeforeRules, NotifiesAreOrdered) {
  EXPECT_TRUE(orders("notify 1 c", "notifyall 2 c"));
  EXPECT_FALSE(orders("notify 1 c", "notify 2 d"));
}
TEST(MustBeforeRules, AWaitEndsOneSectionAndItsWakeBeginsAnother) {
  // Only thread 2's section before its wait clashes with thread 1's.
  EXPECT_EQ(must_before_races("acq 1 l\nwr 1 y\nwr 1 x\nrel 1 l\nacq 2 l\nrd 2 z\nwait 2 c l\nwake "
                              "2 c l spurious\nrd 2 y\nrel 2 l\nwr 2 x\n"),
            0u);
  EXPECT_EQ(must_before_races("acq 1 l\nwr 1 y\nrel 1 l\nwr 1 x\nacq 2 l\nrd 2 y\nwait 2 c l\nwake "
                              "2 c l spurious\nrel 2 l\nwr 2 x\n"),
            1u);
}
TEST(MustBeforeRules, BarriersAndSemaphoresOrder) {
  EXPECT_TRUE(orders("enter 1 b", "enter 2 b\nleave 2 b\nleave 1 b"));
  EXPECT_TRUE(orders("post 1 s #1", "down 2 s #1"));
  EXPECT_FALSE(orders("post 1 s #1", "down 2 s initial"));
}
TEST(MustBeforeRules, AFreeClashesWithEveryAccess) {
  EXPECT_EQ(must_before_races("rd 1 x free 2 x"), 1u);
  EXPECT_EQ(must_before_races("awr 1 x\nfree 2 x"), 1u);
}
TEST(MustBeforeRules, AllocBlocksFunctionsAndUserEventsDoNotOrder) {
  EXPECT_FALSE(orders("alloc 1 p\nbeg 1 a\nend 1 a\ncall 1 f\nret 1 f\nbranch 1\nuser 1 u",
                      "beg 2 a\nend 2 a\ncall 2 f\nret 2 f\nbranch 2\nuser 2 u"));
}

TEST(MustBeforeClosedState, APairWaitsUntilNobodyHoldsALock) {
  // The clash on y that orders x comes after it, in sections that are still open.
  EXPECT_EQ(races("acq 1 l wr 1 x wr 1 y rel 1 l acq 2 l wr 2 x wr 2 y rel 2 l"), Pairs());
  const trace::Trace trace =
      trace_of("acq 3 k wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x rel 3 k");
  Outcome outcome;
  MustBefore detector({}, outcome);
  for (size_t i = 0; i + 1 < trace.events.size(); ++i) {
    detector.on_event(trace.events[i]);
    EXPECT_EQ(outcome.pairs(), Pairs());
  }
  detector.on_event(trace.events.back());
  EXPECT_EQ(outcome.pairs(), (Pairs{{1, 6}}));
}
TEST(MustBeforeClosedState, SectionsOpenAtTheEndCountAsEnded) {
  EXPECT_EQ(races("acq 3 k wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x"), (Pairs{{1, 6}}));
}
TEST(MustBeforeClosedState, TooManyWaitingPairsAreDecidedInAnOpenState) {
  std::string text = "acq 9 k\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("wr {} x\n", i % 2);
  const auto counters = run<MustBefore>(text).counters;
  EXPECT_EQ(counters.at("must-before race"), 4999u);
  EXPECT_GT(counters.at("bad pair decided in an open state"), 4000u);
}

TEST(MustBeforeOptimizations, ReadingOnesOwnWriteIsNotChecked) {
  const auto counters = run<MustBefore>("wr 1 x rd 1 x rd 1 x rd 2 x").counters;
  EXPECT_EQ(counters.at("read own write"), 2u);
  EXPECT_EQ(counters.at("read"), 1u);
}
TEST(MustBeforeOptimizations, AnEdgeTheAcquireKnowsIsElided) {
  const auto counters =
      run<MustBefore>("acq 1 m wr 1 y rel 1 m\nawr 1 f\nard 2 f\nacq 2 m rd 2 y rel 2 m").counters;
  EXPECT_EQ(counters.at("extra edge"), 0u);
  EXPECT_EQ(counters.at("extra edge elided"), 1u);
}
TEST(MustBeforeOptimizations, OneEdgePerThreadAndLock) {
  const auto counters =
      run<MustBefore>("acq 1 m wr 1 y rel 1 m acq 1 m wr 1 y rel 1 m acq 2 m rd 2 y rel 2 m")
          .counters;
  EXPECT_EQ(counters.at("extra edge"), 1u);
}
TEST(MustBeforeOptimizations, AnOlderSectionIsFoundAmongNewerOnes) {
  // 16.1's index by thread must not forget that y was written three sections ago.
  EXPECT_EQ(races("acq 1 m wr 1 y rel 1 m acq 1 m rel 1 m acq 1 m rel 1 m acq 2 m rd 2 y rel 2 m"),
            Pairs());
}

TEST(MustBeforeCounters, EveryEventFallsUnderOneRule) {
  const auto counters = run<MustBefore>(
                            "rd 1 x\nwr 1 x\nrd 1 x\nrmw 1 y\nard 1 y\nacq 1 m\nrel 1 m\nfork 1 "
                            "2\njoin 1 2\npost 1 s\nuser 1 u\n")
                            .counters;
  uint64_t sum = 0;
  for (const char* rule :
       {"read own write", "read", "write", "volatile read", "volatile write", "acquire", "release",
        "fork", "join", "notify", "barrier or semaphore", "no rule"}) {
    sum += counters.at(rule);
  }
  EXPECT_EQ(sum, 11u);
}

}  // namespace
}  // namespace foretell::analysis

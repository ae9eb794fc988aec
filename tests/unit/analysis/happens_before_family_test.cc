// SPDX-License-Identifier: Apache-2.0

// What happens_before, djit and fasttrack have in common.
#include "analysis/race/djit/djit.h"
#include "analysis/race/fasttrack/fasttrack.h"
#include "analysis/race/happens_before/happens_before.h"
#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {
namespace {

template <class Detector>
class HappensBeforeFamily : public testing::Test {};
using Detectors = testing::Types<HappensBefore, Djit, FastTrack>;
TYPED_TEST_SUITE(HappensBeforeFamily, Detectors);

// PREDICT, figure 7.2.
TYPED_TEST(HappensBeforeFamily, GammaHasNoRace) {
  EXPECT_EQ(run<TypeParam>("wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x").pairs(), Pairs());
}
TYPED_TEST(HappensBeforeFamily, EtaRacesOnX) {
  const Outcome outcome = run<TypeParam>("acq 2 l rel 2 l wr 2 x wr 1 x acq 1 l rel 1 l");
  EXPECT_EQ(outcome.pairs(), (Pairs{{2, 3}}));
}

TYPED_TEST(HappensBeforeFamily, ProposalNamesBothAccesses) {
  const trace::Trace trace = trace_of("rd 1 y wr 1 x @a.c:1 rd 2 x @a.c:2");
  const Outcome outcome = run<TypeParam>(trace.events);
  ASSERT_EQ(outcome.races.size(), 1u);
  const Outcome::Race& race = outcome.races[0];
  EXPECT_EQ(race.location, trace.events[1].location());
  EXPECT_EQ(race.first, finding::EventRef::of(trace.events[1]));
  EXPECT_EQ(race.second, finding::EventRef::of(trace.events[2]));
}

TYPED_TEST(HappensBeforeFamily, ReadsDoNotRace) {
  EXPECT_EQ(run<TypeParam>("rd 1 x rd 2 x rd 3 x").pairs(), Pairs());
}
TYPED_TEST(HappensBeforeFamily, ReadThenWriteRace) {
  EXPECT_EQ(run<TypeParam>("rd 1 x wr 2 x").pairs(), (Pairs{{0, 1}}));
}
TYPED_TEST(HappensBeforeFamily, WriteRacesWithEachConcurrentRead) {
  EXPECT_EQ(run<TypeParam>("rd 1 x rd 2 x rd 3 x wr 4 x").pairs(), (Pairs{{0, 3}, {1, 3}, {2, 3}}));
}
TYPED_TEST(HappensBeforeFamily, DifferentLocationsDoNotRace) {
  EXPECT_EQ(run<TypeParam>("wr 1 x wr 2 y").pairs(), Pairs());
}
TYPED_TEST(HappensBeforeFamily, OverlappingBytesRace) {
  EXPECT_EQ(run<TypeParam>("wr 1 b+0:4 wr 2 b+3:1").pairs(), (Pairs{{0, 1}}));
  EXPECT_EQ(run<TypeParam>("wr 1 b+0:4 wr 2 b+4:1").pairs(), Pairs());
}

TYPED_TEST(HappensBeforeFamily, AtomicsDoNotRaceWithEachOther) {
  EXPECT_EQ(run<TypeParam>("awr 1 x rlx\nrmw 2 x rlx\nard 3 x rlx\n").pairs(), Pairs());
}
TYPED_TEST(HappensBeforeFamily, PlainReadRacesWithAtomicWrite) {
  EXPECT_EQ(run<TypeParam>("awr 1 x rlx\nrd 2 x\n").pairs(), (Pairs{{0, 1}}));
  EXPECT_EQ(run<TypeParam>("rd 1 x\nawr 2 x rlx\n").pairs(), (Pairs{{0, 1}}));
}
TYPED_TEST(HappensBeforeFamily, PlainReadDoesNotRaceWithAtomicRead) {
  EXPECT_EQ(run<TypeParam>("ard 1 x rlx\nrd 2 x\nard 3 x rlx\n").pairs(), Pairs());
}
TYPED_TEST(HappensBeforeFamily, PlainWriteRacesWithAtomicRead) {
  EXPECT_EQ(run<TypeParam>("ard 1 x rlx\nwr 2 x\n").pairs(), (Pairs{{0, 1}}));
  EXPECT_EQ(run<TypeParam>("wr 1 x\nard 2 x rlx\n").pairs(), (Pairs{{0, 1}}));
}
TYPED_TEST(HappensBeforeFamily, AnAtomicReadIsAfterWhatItAcquires) {
  EXPECT_EQ(run<TypeParam>("wr 1 x\nawr 1 x rel\nard 2 x acq\nrd 2 x\n").pairs(), Pairs());
}
TYPED_TEST(HappensBeforeFamily, MessagePassingNeedsBothOrders) {
  EXPECT_EQ(run<TypeParam>("wr 1 x\nawr 1 f rel\nard 2 f acq\nrd 2 x\n").pairs(), Pairs());
  EXPECT_EQ(run<TypeParam>("wr 1 x\nawr 1 f rlx\nard 2 f acq\nrd 2 x\n").pairs(), (Pairs{{0, 3}}));
  EXPECT_EQ(run<TypeParam>("wr 1 x\nawr 1 f rel\nard 2 f rlx\nrd 2 x\n").pairs(), (Pairs{{0, 3}}));
}

TYPED_TEST(HappensBeforeFamily, FreeRacesWithPlainAndAtomicReads) {
  EXPECT_EQ(run<TypeParam>("rd 1 x\nard 2 x rlx\nfree 3 x\n").pairs(), (Pairs{{0, 2}, {1, 2}}));
}
TYPED_TEST(HappensBeforeFamily, UseAfterFreeByAnotherThreadRaces) {
  const Outcome outcome = run<TypeParam>("free 1 x\nard 2 x rlx\n");
  EXPECT_EQ(outcome.pairs(), (Pairs{{0, 1}}));
  EXPECT_EQ(outcome.races.at(0).first.kind, trace::EventKind::Free);
}
TYPED_TEST(HappensBeforeFamily, OrderedFreeIsQuiet) {
  EXPECT_EQ(run<TypeParam>("wr 2 x join 1 2 free 1 x").pairs(), Pairs());
}
TYPED_TEST(HappensBeforeFamily, MemoryAllocatedAgainIsNew) {
  EXPECT_EQ(run<TypeParam>("alloc 1 x wr 1 x free 1 x alloc 2 x wr 2 x").pairs(), Pairs());
}

// wr 1 x; wr 1 y; then thread 2 writes both. The race on x is the first; y follows from it.
constexpr std::string_view kTwoRaces = "wr 1 x wr 1 y wr 2 x wr 2 y";
TYPED_TEST(HappensBeforeFamily, AllRacesWithoutOrderAfterRace) {
  EXPECT_EQ(run<TypeParam>(kTwoRaces).pairs(), (Pairs{{0, 2}, {1, 3}}));
}
TYPED_TEST(HappensBeforeFamily, OrderAfterRaceHidesWhatFollowsFromIt) {
  EXPECT_EQ(run<TypeParam>(kTwoRaces, {.order_after_race = true}).pairs(), (Pairs{{0, 2}}));
}
TYPED_TEST(HappensBeforeFamily, OrderAfterRaceOrdersTheThirdAccess) {
  EXPECT_EQ(run<TypeParam>("wr 1 x wr 2 x rd 2 x", {.order_after_race = true}).pairs(),
            (Pairs{{0, 1}}));
}
TYPED_TEST(HappensBeforeFamily, OrderAfterRaceDoesNotHideLaterEventsOfTheFirstThread) {
  EXPECT_EQ(run<TypeParam>("wr 1 x wr 2 x wr 1 y wr 2 y", {.order_after_race = true}).pairs(),
            (Pairs{{0, 1}, {2, 3}}));
}
TYPED_TEST(HappensBeforeFamily, OrderAfterRaceTakesTheNearestFirst) {
  // The race (1,2) puts 3's write after everything thread 2 did, hence after thread 1's read too.
  const std::string text = "rd 1 x acq 1 m rel 1 m acq 2 m rd 2 x wr 3 x";
  EXPECT_EQ(run<TypeParam>(text, {.order_after_race = true}).pairs(), (Pairs{{4, 5}}));
}

TYPED_TEST(HappensBeforeFamily, TenThousandThreads) {
  std::string text;
  for (int t = 1; t < 10000; ++t) text += fmt::format("fork 0 {0}\nrd {0} x\n", t);
  text += "wr 0 x\n";
  EXPECT_EQ(run<TypeParam>(text).races.size(), 9999u);
  text.resize(text.size() - 7);
  for (int t = 1; t < 10000; ++t) text += fmt::format("join 0 {}\n", t);
  text += "wr 0 x\n";
  EXPECT_EQ(run<TypeParam>(text).races.size(), 0u);
}

TYPED_TEST(HappensBeforeFamily, IdsWithGaps) {
  Outcome outcome;
  TypeParam detector({}, outcome);
  const trace::Event events[] = {
      {.kind = trace::EventKind::Write,
       .thread = ThreadId{70000},
       .object = 500,
       .index = EventIndex{3}},
      {.kind = trace::EventKind::Write,
       .thread = ThreadId{2},
       .object = 500,
       .index = EventIndex{90}},
  };
  detector.on_events(events);
  EXPECT_EQ(outcome.pairs(), (Pairs{{3, 90}}));
}

TEST(HappensBefore, CountsReadsAndWrites) {
  const auto counters = run<HappensBefore>("rd 1 x wr 1 x acq 1 m rmw 2 x").counters;
  EXPECT_EQ(counters.at("read"), 1u);
  EXPECT_EQ(counters.at("write"), 2u);
  EXPECT_EQ(counters.at("other event"), 1u);
  EXPECT_EQ(counters.at("race"), 2u);
}
TEST(HappensBefore, ReportsEachRacingAccessOfASegment) {
  EXPECT_EQ(run<HappensBefore>("wr 1 x wr 2 x wr 2 x").pairs(), (Pairs{{0, 1}, {0, 2}}));
}
TEST(HappensBefore, ReportsALaterThreadsLastReadAndLastWrite) {
  EXPECT_EQ(run<HappensBefore>("wr 1 x rd 1 x rd 1 x wr 2 x").pairs(), (Pairs{{0, 3}, {2, 3}}));
}

TEST(Djit, LooksAtTheFirstAccessOfASegmentOnly) {
  const Outcome outcome = run<Djit>("wr 1 x wr 1 x acq 1 m rel 1 m wr 1 x wr 2 x wr 2 x");
  EXPECT_EQ(outcome.pairs(), (Pairs{{4, 5}}));
  EXPECT_EQ(outcome.counters.at("first access in segment"), 3u);
  EXPECT_EQ(outcome.counters.at("repeated access in segment"), 2u);
}
TEST(Djit, AnAcquireDoesNotBeginASegment) {
  EXPECT_EQ(run<Djit>("wr 1 x acq 1 m wr 1 x").counters.at("repeated access in segment"), 1u);
}

}  // namespace
}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sync_preserving/sync_preserving.h"

#include <random>

#include "analysis/race/predictable/predictable.h"
#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {
namespace {

template <class Detector, class... More>
Outcome passes(const trace::Trace& trace, More... more) {
  Outcome outcome;
  AnalysisOptions options;
  options.allocation_of = [&](LocationId id) { return trace.cells[id].alloc; };
  Detector detector(options, outcome, more...);
  do {
    detector.on_events(trace.events);
    detector.finish();
  } while (detector.wants_another_pass());
  detector.report_counters(outcome);
  return outcome;
}

Outcome sync_preserving(std::string_view text) {
  return passes<SyncPreserving>(trace_of(text));
}

int count_passes(std::string_view text) {
  const trace::Trace trace = trace_of(text);
  Outcome outcome;
  SyncPreserving detector({}, outcome);
  int passes = 0;
  do {
    detector.on_events(trace.events);
    detector.finish();
    ++passes;
  } while (detector.wants_another_pass());
  return passes;
}

TEST(SyncPreserving, AsksForTwoPasses) {
  EXPECT_EQ(count_passes("wr 1 x wr 2 x"), 2);
}

TEST(SyncPreserving, OnePassShowsThatNothingMayRace) {
  EXPECT_EQ(count_passes(""), 1);
  EXPECT_EQ(count_passes("wr 1 x wr 2 y"), 1);
}

TEST(SyncPreserving, EmptyTraceHasNoRace) {
  EXPECT_EQ(sync_preserving("").pairs(), Pairs());
}

TEST(SyncPreserving, ProposesOnePairForEachTwoGroups) {
  // Three writes in three steps, each concurrent with both reads of thread 2.
  const Outcome outcome =
      sync_preserving("wr 1 x acq 1 l rel 1 l wr 1 x acq 1 l rel 1 l wr 1 x rd 2 x acq 2 l rd 2 x");
  EXPECT_EQ(outcome.pairs(), (Pairs{{0, 7}}));
}

TEST(SyncPreserving, SitesTellGroupsApart) {
  const Outcome outcome = sync_preserving("wr 1 x @a.c:1\nwr 1 x @a.c:2\nrd 2 x @a.c:3\n");
  EXPECT_EQ(outcome.pairs(), (Pairs{{0, 2}, {1, 2}}));
}

TEST(SyncPreserving, APairOfSitesIsProposedOftenEnoughOnly) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += fmt::format("wr 1 x{0} @a.c:1\nwr 2 x{0} @a.c:2\n", i);
  }
  EXPECT_EQ(sync_preserving(text).races.size(), size_t{SyncPreserving::kEnough});
}

TEST(SyncPreserving, LocationsOfOneThreadAndConstantsAreNotKept) {
  const Outcome outcome = sync_preserving("wr 1 x rd 1 x rd 1 y rd 2 y wr 1 z rd 2 z");
  EXPECT_EQ(outcome.counters.at("location without possible race"), 2u);
  EXPECT_EQ(outcome.counters.at("access kept"), 2u);
}

TEST(SyncPreserving, WhatMainDoesBeforeItForksIsNoUse) {
  const Outcome outcome = sync_preserving("wr 1 x fork 1 2 fork 1 3 rd 2 x rd 3 x");
  EXPECT_EQ(outcome.counters.at("access that may race"), 0u);
}

TEST(SyncPreserving, WhatTheFirstThreadDoesCountsIfAnotherWasNeverForked) {
  EXPECT_EQ(sync_preserving("wr 1 x fork 1 2 rd 2 x rd 3 x").pairs(), (Pairs{{0, 3}}));
}

TEST(SyncPreserving, ConsistentLockingNeedsNoPairs) {
  const Outcome outcome =
      sync_preserving("fork 1 2 acq 1 l wr 1 x rel 1 l acq 2 m acq 2 l wr 2 x rel 2 l rel 2 m");
  EXPECT_EQ(outcome.counters.at("location that may race"), 0u);
}

TEST(SyncPreserving, NothingIsReachedThroughAnAmbiguousRead) {
  trace::Trace trace = trace_of("rd 1 y wr 1 x wr 2 x wr 2 y");
  EXPECT_EQ(passes<SyncPreserving>(trace).pairs(), (Pairs{{1, 2}, {0, 3}}));
  trace.events[0].flags |= trace::Event::kAmbiguous;
  // The ambiguous read itself may race: it is not executed.
  EXPECT_EQ(passes<SyncPreserving>(trace).pairs(), (Pairs{{0, 3}}));
}

TEST(SyncPreserving, FreedMemoryRacesOnlyWithTheFreeAfterwards) {
  EXPECT_EQ(sync_preserving("wr 1 p free 2 p rd 3 p").pairs(), (Pairs{{0, 1}, {1, 2}}));
}

TEST(SyncPreserving, AnAccessNeedsTheAllocation) {
  EXPECT_EQ(sync_preserving("wr 1 x alloc 1 p wr 2 p wr 2 x").pairs(), Pairs());
}

TEST(SyncPreserving, AWaitOfOneSideAndANotifyOfTheOtherKeepTheirOrder) {
  const std::string_view before =
      "acq 1 l wr 1 y wait 1 c l acq 2 l rd 2 y rel 2 l wr 2 x notify 2 c";
  EXPECT_EQ(sync_preserving(fmt::format("{} notify 3 c wr 3 x wake 1 c l", before)).pairs(),
            Pairs());
  EXPECT_EQ(sync_preserving(fmt::format("{} wr 3 x wake 1 c l", before)).pairs(), (Pairs{{6, 8}}));
}

TEST(SyncPreserving, ManyThreadsShareBlocksOfClocks) {
  // Thread 0 and 40 race; the 39 between hand a token on to each other.
  std::string text = "wr 0 x\npost 0 s\n";
  for (int i = 1; i < 40; ++i) text += fmt::format("down {0} s\npost {0} s\n", i);
  EXPECT_EQ(sync_preserving(text + "wr 40 x\n").pairs(), (Pairs{{0, 80}}));
  EXPECT_EQ(sync_preserving(text + "down 40 s\nwr 40 x\n").pairs(), Pairs());
}

// The list against looking at every section.
TEST(SectionHistory, AgreesWithLookingAtEverySection) {
  std::mt19937 random(1);
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    constexpr uint32_t kThreads = 4;
    SectionHistory history;
    Step next[kThreads] = {1, 1, 1, 1};
    const uint32_t count = 1 + below(80);
    for (uint32_t i = 0; i < count; ++i) {
      // One thread rarely gets the lock, so that the near sections do not answer.
      const uint32_t thread = below(20) == 0 ? 3 : below(3);
      history.add({.thread = thread & 3,
                   .shared = below(3) == 0,
                   .begin = next[thread],
                   .end = next[thread] + 1,
                   .clock = kEmptyClock});
      next[thread] += 2;
    }
    for (int question = 0; question < 40; ++question) {
      Step set[kThreads];
      for (uint32_t t = 0; t < kThreads; ++t) set[t] = below(3) == 0 ? below(next[t] + 1) : 0;
      const uint32_t from = below(count + 1);
      const bool only_exclusive = below(2) == 0;
      bool expected = false;
      for (uint32_t i = from; i < count; ++i) {
        expected |=
            history[i].begin <= set[history[i].thread] && !(only_exclusive && history[i].shared);
      }
      ASSERT_EQ(history.contains_from(from, only_exclusive, set), expected);
    }
  }
}

TEST(Predictable, LimitsWhatItProposesAndCountsTheRest) {
  const trace::Trace trace =
      trace_of("wr 1 x acq 1 l rel 1 l wr 1 x acq 1 l rel 1 l wr 1 x acq 2 l rel 2 l rd 2 x");
  EXPECT_EQ(passes<Predictable>(trace).pairs(), (Pairs{{6, 9}, {3, 9}, {0, 9}}));
  const Outcome two = passes<Predictable>(trace, PredictableLimits{.pairs_of_groups = 2});
  EXPECT_EQ(two.pairs(), (Pairs{{6, 9}, {3, 9}}));
  EXPECT_EQ(two.counters.at("pair left out, at least"), 1u);
  EXPECT_EQ(two.counters.at("pair of groups cut short"), 1u);
  const Outcome one = passes<Predictable>(trace, PredictableLimits{.looks = 1});
  EXPECT_EQ(one.pairs(), (Pairs{{6, 9}}));
  EXPECT_EQ(one.counters.at("pair left out, at least"), 2u);
}

TEST(Predictable, RepeatedAccessesOfAStepAreOne) {
  const trace::Trace trace = trace_of("rd 1 x rd 1 x wr 2 x wr 2 x");
  EXPECT_EQ(passes<Predictable>(trace).pairs(), (Pairs{{0, 2}}));
  EXPECT_EQ(passes<Predictable>(trace, PredictableLimits::none()).pairs().size(), 4u);
}

TEST(Predictable, SwappedSectionsAreProposed) {
  const trace::Trace trace = trace_of("acq 1 l wr 1 x rel 1 l acq 2 l rel 2 l wr 2 x");
  EXPECT_EQ(passes<Predictable>(trace).pairs(), (Pairs{{1, 5}}));
}

TEST(Predictable, MustHappenOrdersRefute) {
  EXPECT_EQ(passes<Predictable>(trace_of("wr 1 x fork 1 2 wr 2 x join 1 2 wr 1 x")).pairs(),
            Pairs());
}

}  // namespace
}  // namespace foretell::analysis

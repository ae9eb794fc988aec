// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/causally_precedes/causally_precedes.h"

#include "analysis/race/wcp/wcp.h"
#include "unit/analysis/naive_causally_precedes.h"
#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {
namespace {

// What causally_precedes and wcp have in common.
template <class Detector>
class WeakOrderFamily : public testing::Test {};
using WeakDetectors = testing::Types<CausallyPrecedes, Wcp>;
TYPED_TEST_SUITE(WeakOrderFamily, WeakDetectors);

TYPED_TEST(WeakOrderFamily, EmptySectionsDoNotOrder) {
  EXPECT_EQ(run<TypeParam>("wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x").pairs(),
            (Pairs{{0, 5}}));
}
TYPED_TEST(WeakOrderFamily, SectionsThatClashOrder) {
  EXPECT_EQ(run<TypeParam>("wr 1 x acq 1 l wr 1 y rel 1 l acq 2 l rd 2 y rel 2 l wr 2 x").pairs(),
            Pairs());
}
TYPED_TEST(WeakOrderFamily, SectionsThatOnlyReadDoNotOrder) {
  EXPECT_EQ(run<TypeParam>("wr 1 x acq 1 l rd 1 y rel 1 l acq 2 l rd 2 y rel 2 l wr 2 x").pairs(),
            (Pairs{{0, 7}}));
}
TYPED_TEST(WeakOrderFamily, AThirdThreadsSectionIsRememberedBehindTheOwnOne) {
  // Thread 2's section on l clashes with 1's although it has touched y last itself.
  EXPECT_EQ(run<TypeParam>("wr 1 x acq 1 l wr 1 y rel 1 l acq 2 l wr 2 y rel 2 l acq 2 l wr 2 y "
                           "rel 2 l wr 2 x")
                .pairs(),
            Pairs());
}
TYPED_TEST(WeakOrderFamily, ForkAndJoinAreHardEdges) {
  EXPECT_EQ(run<TypeParam>("wr 1 x fork 1 2 wr 2 x join 1 2 wr 1 x").pairs(), Pairs());
}
TYPED_TEST(WeakOrderFamily, BarriersAndSemaphoresAreHardEdges) {
  EXPECT_EQ(run<TypeParam>("wr 1 x enter 1 b enter 2 b leave 2 b wr 2 x").pairs(), Pairs());
  EXPECT_EQ(run<TypeParam>("wr 1 x post 1 s down 2 s wr 2 x").pairs(), Pairs());
}
TYPED_TEST(WeakOrderFamily, AtomicsThatSynchronizeAreHardEdges) {
  EXPECT_EQ(run<TypeParam>("wr 1 x\nawr 1 f rel\nard 2 f acq\nrd 2 x\n").pairs(), Pairs());
}
TYPED_TEST(WeakOrderFamily, ReadingOnesOwnAtomicIsNoHardEdge) {
  const std::string section = "wr 1 x\nacq 1 l\nrel 1 l\nacq 2 l\nrel 2 l\n";
  EXPECT_EQ(run<TypeParam>(section + "awr 2 f rel\nard 2 f acq\nwr 2 x\n").pairs(),
            (Pairs{{0, 7}}));
  EXPECT_EQ(run<TypeParam>(section + "rmw 2 f\nrmw 2 f\nwr 2 x\n").pairs(), (Pairs{{0, 7}}));
}
TYPED_TEST(WeakOrderFamily, AWaitAndItsNotifyOrder) {
  EXPECT_EQ(run<TypeParam>("wr 1 x acq 1 l wait 1 c l acq 2 l notify 2 c rel 2 l wr 2 x wake 1 c l")
                .pairs(),
            Pairs());
}
TYPED_TEST(WeakOrderFamily, ReadersDoNotOrderReaders) {
  EXPECT_EQ(
      run<TypeParam>("wr 1 x sacq 1 l wr 1 y srel 1 l sacq 2 l rd 2 z srel 2 l wr 2 x").pairs(),
      (Pairs{{0, 7}}));
}
TYPED_TEST(WeakOrderFamily, AReaderOrdersTheWriterItClashesWith) {
  EXPECT_EQ(run<TypeParam>("wr 1 x sacq 1 l rd 1 y srel 1 l acq 2 l wr 2 y rel 2 l wr 2 x").pairs(),
            Pairs());
  EXPECT_EQ(run<TypeParam>("wr 1 x sacq 1 l rd 1 y srel 1 l acq 2 l wr 2 z rel 2 l wr 2 x").pairs(),
            (Pairs{{0, 7}}));
}
TYPED_TEST(WeakOrderFamily, AccessesOfOneThreadAreOrdered) {
  EXPECT_EQ(run<TypeParam>("wr 1 x acq 1 l rel 1 l wr 1 x rd 1 x free 1 x").pairs(), Pairs());
}
TYPED_TEST(WeakOrderFamily, OrderAfterRaceCountsTheRaceAsAnEdge) {
  const std::string text = "wr 1 x wr 1 y wr 2 x wr 2 y";
  EXPECT_EQ(run<TypeParam>(text).pairs(), (Pairs{{0, 2}, {1, 3}}));
  EXPECT_EQ(run<TypeParam>(text, {.order_after_race = true}).pairs(), (Pairs{{0, 2}}));
}

// Rule (a): CP orders the whole later section, WCP only what follows the clash.
TEST(CausallyPrecedes, OrdersWhatComesBeforeTheClashInItsSection) {
  const std::string text = "wr 1 x acq 1 l wr 1 y rel 1 l acq 2 l wr 2 x rd 2 y rel 2 l";
  EXPECT_EQ(run<CausallyPrecedes>(text).pairs(), Pairs());
  EXPECT_EQ(run<Wcp>(text).pairs(), (Pairs{{0, 5}}));
}
// Rule (b): something in thread 1's section on m precedes, by way of thread 3, thread 2's release
// of m. Thread 1's write of x follows that something, so only the edge between the sections orders
// it.
TEST(CausallyPrecedes, AChainBetweenSectionsOrdersThem) {
  const std::string text =
      "acq 1 m post 1 s wr 1 x rel 1 m down 3 s post 3 t acq 2 m down 2 t rel 2 m wr 2 x";
  EXPECT_EQ(run<CausallyPrecedes>(text).pairs(), Pairs());
  EXPECT_EQ(run<Wcp>(text).pairs(), Pairs());
  EXPECT_EQ(run<Wcp>(text).counters.at("edge by rule (b)"), 1u);
}
TEST(CausallyPrecedes, AnEdgeIntoThePastTakesAnotherPass) {
  // The same, and thread 4 has seen thread 2 in m before anybody knew that m was ordered.
  const std::string text =
      "acq 1 m post 1 s wr 1 x rel 1 m down 3 s post 3 t acq 2 m acq 2 n rel 2 n acq 4 n rel 4 n "
      "wr 4 x down 2 t rel 2 m";
  const Outcome outcome = run<CausallyPrecedes>(text);
  EXPECT_EQ(outcome.pairs(), Pairs());
  EXPECT_EQ(outcome.counters.at("edge by rule (b)"), 1u);
  EXPECT_EQ(outcome.counters.at("pass"), 4u);
  EXPECT_EQ(run<Wcp>(text).pairs(), (Pairs{{2, 11}}));
}
TEST(CausallyPrecedes, ThreePassesSufficeWithoutLateEdges) {
  EXPECT_EQ(run<CausallyPrecedes>("wr 1 x wr 2 x").counters.at("pass"), 3u);
}
// PREDICT 12.2: rule (c) uses the order of the sections on n without making it its own.
TEST(CausallyPrecedes, DoesNotUpgradeTheHappensBeforeItComposesWith) {
  auto sync = [](int thread, char lock) {
    return fmt::format("acq {0} {1} rd {0} {1}v wr {0} {1}v rel {0} {1} ", thread, lock);
  };
  const trace::Trace trace =
      trace_of("acq 1 m acq 1 n rel 1 n " + sync(1, 't') + "acq 2 n " + sync(2, 'o') + "wr 2 x " +
               sync(2, 'r') + "rel 2 n " + sync(1, 'r') + "rel 1 m " + sync(3, 'o') +
               "acq 3 m rel 3 m " + sync(3, 't') + "wr 3 x");
  const NaiveCausallyPrecedes naive(trace.events, WeakOrder::causally_precedes);
  EXPECT_FALSE(naive.before(2, 7));   // rel 1 n, acq 2 n
  EXPECT_TRUE(naive.before(22, 27));  // rel 1 m, acq 3 m
  EXPECT_EQ(run<CausallyPrecedes>(trace.events).pairs(), Pairs());
}

TEST(Wcp, ForgetsSectionsThatEveryThreadHasSeen) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    for (int t : {1, 2}) {
      text += fmt::format("acq {0} m acq {0} n rd {0} v wr {0} v rel {0} n rel {0} m ", t);
    }
  }
  const Outcome outcome = run<Wcp>(text);
  EXPECT_EQ(outcome.counters.at("section listed"), 400u);
  EXPECT_GT(outcome.counters.at("section forgotten"), 300u);
}

}  // namespace
}  // namespace foretell::analysis

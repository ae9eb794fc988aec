// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/fasttrack/fasttrack.h"

#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {
namespace {

// The rules that fired, without zeros and without what is no rule of the paper.
std::map<std::string, uint64_t> rules(std::string_view text) {
  auto counters = run<FastTrack>(text).counters;
  counters.erase("other event");
  counters.erase("race");
  std::erase_if(counters, [](const auto& row) { return row.second == 0; });
  return counters;
}
using Rules = std::map<std::string, uint64_t>;

TEST(FastTrack, FirstReadIsExclusive) {
  EXPECT_EQ(rules("rd 1 x"), (Rules{{"read exclusive", 1}}));
}
TEST(FastTrack, RepeatedReadIsSameEpoch) {
  EXPECT_EQ(rules("rd 1 x rd 1 x rd 1 x"), (Rules{{"read exclusive", 1}, {"read same epoch", 2}}));
}
TEST(FastTrack, ReadAfterAReleaseIsExclusiveAgain) {
  EXPECT_EQ(rules("rd 1 x acq 1 m rel 1 m rd 1 x"), (Rules{{"read exclusive", 2}}));
}
TEST(FastTrack, OrderedReadOfAnotherThreadIsExclusive) {
  EXPECT_EQ(rules("rd 1 x fork 1 2 rd 2 x"), (Rules{{"read exclusive", 2}}));
}
TEST(FastTrack, ConcurrentReadsShare) {
  EXPECT_EQ(rules("rd 1 x rd 2 x"), (Rules{{"read exclusive", 1}, {"read share", 1}}));
}
TEST(FastTrack, ThirdReadIsShared) {
  EXPECT_EQ(rules("rd 1 x rd 2 x rd 3 x"),
            (Rules{{"read exclusive", 1}, {"read share", 1}, {"read shared", 1}}));
}
TEST(FastTrack, RepeatedSharedReadIsSharedSameEpoch) {
  EXPECT_EQ(rules("rd 1 x rd 2 x rd 1 x rd 2 x"),
            (Rules{{"read exclusive", 1}, {"read share", 1}, {"read shared same epoch", 2}}));
}
TEST(FastTrack, FirstWriteIsExclusive) {
  EXPECT_EQ(rules("wr 1 x"), (Rules{{"write exclusive", 1}}));
}
TEST(FastTrack, RepeatedWriteIsSameEpoch) {
  EXPECT_EQ(rules("wr 1 x wr 1 x"), (Rules{{"write exclusive", 1}, {"write same epoch", 1}}));
}
TEST(FastTrack, WriteAfterSharedReadsIsShared) {
  EXPECT_EQ(rules("rd 2 x rd 3 x join 1 2 join 1 3 wr 1 x"),
            (Rules{{"read exclusive", 1}, {"read share", 1}, {"write shared", 1}}));
}
TEST(FastTrack, WriteSharedEndsTheVector) {
  EXPECT_EQ(rules("rd 2 x rd 3 x join 1 2 join 1 3 wr 1 x rd 1 x"),
            (Rules{{"read exclusive", 2}, {"read share", 1}, {"write shared", 1}}));
}
TEST(FastTrack, VectorsAreUsedAgainEmpty) {
  // y's readers take over x's vector, which must not remember x's.
  const Outcome outcome = run<FastTrack>(
      "rd 2 x rd 3 x join 1 2 join 1 3 wr 1 x rd 4 y rd 5 y join 1 4 join 1 5 wr 1 y");
  EXPECT_EQ(outcome.pairs(), Pairs());
  EXPECT_EQ(outcome.counters.at("write shared"), 2u);
}
TEST(FastTrack, AtomicsAreCountedApart) {
  EXPECT_EQ(rules("awr 1 x rlx\nawr 1 x rlx\nard 1 x rlx\n"),
            (Rules{{"atomic first in epoch", 2}, {"atomic same epoch", 1}}));
}
TEST(FastTrack, FreeIsNeverSameEpoch) {
  EXPECT_EQ(rules("wr 1 x free 1 x"), (Rules{{"write exclusive", 2}}));
}
TEST(FastTrack, APlainWriteStandsForTheAtomicsBeforeIt) {
  EXPECT_EQ(run<FastTrack>("ard 1 x rlx\nfork 1 2\nwr 2 x\nrd 3 x\n").pairs(), (Pairs{{2, 3}}));
}
TEST(FastTrack, OnlyTheLastWriteIsKnown) {
  EXPECT_EQ(run<FastTrack>("wr 1 x wr 2 x wr 3 x").pairs(), (Pairs{{0, 1}, {1, 2}}));
}
TEST(FastTrack, CountsEveryEventOnce) {
  uint64_t sum = 0;
  const Outcome outcome = run<FastTrack>("rd 1 x\nwr 1 x\nrmw 1 x\nfree 1 x\nacq 1 m\nrel 1 m\n");
  for (const auto& [rule, times] : outcome.counters) sum += times;
  EXPECT_EQ(sum, 6u);
}

}  // namespace
}  // namespace foretell::analysis

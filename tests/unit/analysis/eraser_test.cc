// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/eraser/eraser.h"

#include "unit/analysis/race_fixture.h"

namespace foretell::analysis {
namespace {

uint64_t times(std::string_view text, const std::string& transition) {
  return run<Eraser>(text).counters.at(transition);
}

TEST(Eraser, FirstAccessMakesExclusive) {
  EXPECT_EQ(times("wr 1 x", "virgin to exclusive"), 1u);
}
TEST(Eraser, TheSameThreadStaysExclusive) {
  EXPECT_EQ(times("wr 1 x rd 1 x wr 1 x", "stays exclusive"), 2u);
}
TEST(Eraser, ASecondReaderMakesShared) {
  EXPECT_EQ(times("wr 1 x rd 2 x", "exclusive to shared"), 1u);
}
TEST(Eraser, ASecondWriterMakesSharedModified) {
  EXPECT_EQ(times("wr 1 x wr 2 x", "exclusive to shared-modified"), 1u);
}
TEST(Eraser, AReadOfSharedStaysShared) {
  EXPECT_EQ(times("wr 1 x rd 2 x rd 1 x", "stays shared"), 1u);
}
TEST(Eraser, AWriteOfSharedMakesSharedModified) {
  EXPECT_EQ(times("wr 1 x rd 2 x wr 1 x", "shared to shared-modified"), 1u);
}

TEST(Eraser, SharedIsNotReported) {
  EXPECT_EQ(run<Eraser>("wr 1 x rd 2 x rd 3 x").pairs(), Pairs());
}
TEST(Eraser, UnprotectedWritesAreReported) {
  EXPECT_EQ(run<Eraser>("wr 1 x wr 2 x").pairs(), (Pairs{{0, 1}}));
}
TEST(Eraser, ACommonLockIsEnough) {
  EXPECT_EQ(run<Eraser>("acq 1 m wr 1 x rel 1 m acq 2 m wr 2 x rel 2 m acq 1 m wr 1 x").pairs(),
            Pairs());
}
TEST(Eraser, LocksetsShrinkToWhatIsCommon) {
  const std::string with_m_n = "acq {0} m acq {0} n wr {0} x rel {0} n rel {0} m ";
  const std::string with_m = "acq {0} m wr {0} x rel {0} m ";
  const std::string with_n = "acq {0} n wr {0} x rel {0} n ";
  auto of = [](const std::string& text, int thread) {
    return fmt::format(fmt::runtime(text), thread);
  };
  EXPECT_EQ(run<Eraser>(of(with_m_n, 1) + of(with_m_n, 2) + of(with_m, 1)).pairs(), Pairs());
  EXPECT_EQ(run<Eraser>(of(with_m_n, 1) + of(with_m_n, 2) + of(with_m, 1) + of(with_n, 2)).pairs(),
            (Pairs{{11, 14}}));
}
TEST(Eraser, FindsWhatTheObservedOrderHides) {
  EXPECT_EQ(run<Eraser>("wr 1 x acq 1 m rel 1 m acq 2 m rel 2 m wr 2 x").pairs(), (Pairs{{0, 5}}));
}
TEST(Eraser, ReadLocksProtectReads) {
  EXPECT_EQ(run<Eraser>("acq 1 m wr 1 x rel 1 m sacq 2 m rd 2 x srel 2 m acq 1 m wr 1 x rel 1 m "
                        "sacq 2 m rd 2 x srel 2 m")
                .pairs(),
            Pairs());
}
TEST(Eraser, ReadLocksDoNotProtectWrites) {
  EXPECT_EQ(run<Eraser>("sacq 1 m wr 1 x srel 1 m sacq 2 m wr 2 x srel 2 m").pairs(),
            (Pairs{{1, 4}}));
}
TEST(Eraser, AWaitGivesItsLockUpAndTakesItBack) {
  EXPECT_EQ(run<Eraser>("acq 1 m wait 1 c m acq 2 m wr 2 x notify 2 c rel 2 m wake 1 c m wr 1 x "
                        "rel 1 m acq 2 m wr 2 x rel 2 m")
                .pairs(),
            Pairs());
}
TEST(Eraser, IsUnawareOfForkAndJoin) {
  EXPECT_EQ(run<Eraser>("wr 1 x fork 1 2 wr 2 x join 1 2").pairs(), (Pairs{{0, 2}}));
}
TEST(Eraser, IsUnawareOfBarriers) {
  EXPECT_EQ(run<Eraser>("wr 1 x enter 1 b enter 2 b leave 1 b leave 2 b wr 2 x").pairs(),
            (Pairs{{0, 5}}));
}
TEST(Eraser, AtomicsAloneAreQuiet) {
  EXPECT_EQ(run<Eraser>("awr 1 x\nrmw 2 x\nard 3 x\nawr 1 x\n").pairs(), Pairs());
}
TEST(Eraser, AtomicsMixedWithPlainWritesAreReported) {
  EXPECT_EQ(run<Eraser>("awr 1 x\nrmw 2 x\nwr 3 x\n").pairs(), (Pairs{{1, 2}}));
}
TEST(Eraser, FreeIsAWrite) {
  EXPECT_EQ(run<Eraser>("rd 1 x free 2 x").pairs(), (Pairs{{0, 1}}));
}
TEST(Eraser, NamesTheLatestClashingAccessOfAnotherThread) {
  EXPECT_EQ(run<Eraser>("wr 1 x rd 1 x rd 2 x wr 2 x").pairs(), (Pairs{{1, 3}}));
}
TEST(Eraser, AWarningWithoutAPairIsCounted) {
  const Outcome outcome =
      run<Eraser>("acq 1 m wr 1 x rel 1 m acq 2 m rd 2 x rel 2 m acq 1 m wr 1 x rel 1 m rd 1 x");
  EXPECT_EQ(outcome.pairs(), Pairs());
  EXPECT_EQ(outcome.counters.at("warning without a clashing access"), 1u);
}
TEST(Eraser, ReportsEachLaterAccess) {
  EXPECT_EQ(run<Eraser>("wr 1 x wr 2 x wr 2 x").pairs(), (Pairs{{0, 1}, {0, 2}}));
}
TEST(Eraser, OrderAfterRaceMakesTheSecondThreadTheOwner) {
  EXPECT_EQ(run<Eraser>("wr 1 x wr 2 x wr 2 x wr 1 x", {.order_after_race = true}).pairs(),
            (Pairs{{0, 1}, {2, 3}}));
}

}  // namespace
}  // namespace foretell::analysis

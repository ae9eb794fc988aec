// SPDX-License-Identifier: Apache-2.0

// Every row of the table in docs/semantics.md: an order it allows beside one it forbids.
#include "semantics.h"

#include <gtest/gtest.h>

#include "run_of.h"

namespace foretell::oracle {
namespace {

// Whether `order` is a correct reordering of the trace `text`.
bool allows(std::string_view text, Interleaving order) {
  const trace::Trace trace = run_of(text);
  return !Semantics(trace).first_wrong_step(order);
}

TEST(Semantics, EmptyAndWholeTraceAreReorderings) {
  EXPECT_TRUE(allows("wr 1 x rd 2 x", {}));
  EXPECT_TRUE(allows("wr 1 x rd 2 x", {0, 1}));
}

TEST(Semantics, ProgramOrderIsKeptAndNothingSkipped) {
  EXPECT_TRUE(allows("wr 1 x wr 1 y", {0}));
  EXPECT_FALSE(allows("wr 1 x wr 1 y", {1}));
  EXPECT_FALSE(allows("wr 1 x wr 1 y", {1, 0}));
  EXPECT_FALSE(allows("wr 1 x", {0, 0}));
  EXPECT_FALSE(allows("wr 1 x", {1}));
}

TEST(Semantics, AThreadActsAfterItsFork) {
  EXPECT_TRUE(allows("wr 1 x fork 1 2 wr 2 y", {0, 1, 2}));
  EXPECT_FALSE(allows("wr 1 x fork 1 2 wr 2 y", {0, 2}));
}

TEST(Semantics, AThreadNobodyForksExistsFromTheStart) {
  EXPECT_TRUE(allows("wr 1 x wr 2 y", {1, 0}));
}

TEST(Semantics, AReadKeepsItsWriter) {
  EXPECT_FALSE(allows("wr 1 x rd 2 x", {1}));
  EXPECT_FALSE(allows("wr 1 x rd 2 x wr 3 x", {0, 2, 1}));
  EXPECT_TRUE(allows("wr 1 x rd 2 x wr 3 x", {2, 0, 1}));
}

TEST(Semantics, AReadOfTheInitialValueComesBeforeAllWrites) {
  EXPECT_TRUE(allows("rd 2 x wr 1 x", {0, 1}));
  EXPECT_FALSE(allows("rd 2 x wr 1 x", {1, 0}));
}

TEST(Semantics, EqualValuesFromAnotherWriteAreNotEnough) {
  EXPECT_FALSE(allows("wr 1 x 7 rd 2 x 7 wr 3 x 7", {2, 1}));
}

TEST(Semantics, AtomicReadsAndUpdatesKeepTheirWriters) {
  EXPECT_FALSE(allows("awr 1 x rlx ard 2 x rlx", {1}));
  EXPECT_FALSE(allows("rmw 1 x rmw 2 x", {1}));
  EXPECT_TRUE(allows("awr 1 x awr 2 x", {1, 0}));
}

TEST(Semantics, AnAccessComesAfterTheAllocationOfItsLife) {
  EXPECT_FALSE(allows("alloc 1 p wr 2 p", {1}));
  EXPECT_TRUE(allows("alloc 1 p wr 2 p", {0, 1}));
  EXPECT_FALSE(allows("alloc 1 p free 1 p alloc 1 p wr 2 p", {0, 3}));
}

TEST(Semantics, AccessesStayOnTheirSideOfAFree) {
  EXPECT_FALSE(allows("wr 1 p free 2 p", {1, 0}));
  EXPECT_FALSE(allows("free 2 p wr 1 p", {1}));
  EXPECT_TRUE(allows("wr 1 p free 2 p", {1}));
}

TEST(Semantics, AFreeOfOtherMemoryDoesNotMatter) {
  EXPECT_TRUE(allows("wr 1 p free 2 q", {1, 0}));
  EXPECT_TRUE(allows("alloc 1 p wr 1 p free 1 p alloc 2 p wr 2 p", {3, 4, 0, 1, 2}));
}

TEST(Semantics, AnExclusiveAcquireNeedsTheLockFreeOfAll) {
  EXPECT_FALSE(allows("acq 1 l rel 1 l acq 2 l", {0, 2}));
  EXPECT_TRUE(allows("acq 1 l rel 1 l acq 2 l", {2}));
  EXPECT_FALSE(allows("sacq 1 l srel 1 l acq 2 l", {0, 2}));
}

TEST(Semantics, ASharedAcquireNeedsNoExclusiveHolder) {
  EXPECT_TRUE(allows("sacq 1 l srel 1 l sacq 2 l", {0, 2}));
  EXPECT_FALSE(allows("acq 1 l rel 1 l sacq 2 l", {0, 2}));
}

TEST(Semantics, ReentrantLockingIsOneHold) {
  // Folded: 0 is the outer acquire, 1 the outer release.
  EXPECT_FALSE(allows("acq 1 l acq 1 l rel 1 l rel 1 l acq 2 l", {0, 2}));
  EXPECT_TRUE(allows("acq 1 l acq 1 l rel 1 l rel 1 l acq 2 l", {0, 1, 2}));
}

TEST(Semantics, AskingDoesNotBlock) {
  EXPECT_TRUE(allows("acq 1 l rel 1 l req 2 l acq 2 l", {0, 2}));
  EXPECT_TRUE(allows("acq 1 l rel 1 l sreq 2 l sacq 2 l", {0, 2}));
  EXPECT_FALSE(allows("acq 1 l rel 1 l req 2 l acq 2 l", {0, 2, 3}));
}

TEST(Semantics, ATryFailsOnlyWhileTheLockIsHeld) {
  EXPECT_TRUE(allows("acq 1 l tryfail 2 l rel 1 l", {0, 1, 2}));
  EXPECT_FALSE(allows("acq 1 l tryfail 2 l rel 1 l", {1}));
  EXPECT_FALSE(allows("acq 1 l tryfail 2 l rel 1 l", {0, 2, 1}));
  EXPECT_TRUE(allows("sacq 1 l tryfail 2 l", {0, 1}));
  EXPECT_TRUE(allows("acq 1 l tryfail 1 l", {0, 1}));
}

TEST(Semantics, ASharedTryFailsOnlyWhileTheLockIsHeldExclusively) {
  const auto text = "sacq 1 l srel 1 l acq 1 l stryfail 2 l";
  EXPECT_TRUE(allows(text, {0, 1, 2, 3}));
  EXPECT_FALSE(allows(text, {0, 3}));
}

TEST(Semantics, AJoinComesAfterAllOfItsThread) {
  EXPECT_FALSE(allows("wr 2 x wr 2 y join 1 2", {0, 2}));
  EXPECT_TRUE(allows("wr 2 x wr 2 y join 1 2", {0, 1, 2}));
}

TEST(Semantics, AJoinComesAfterTheForkEvenOfAThreadWithoutEvents) {
  EXPECT_FALSE(allows("fork 1 2 join 3 2", {1}));
  EXPECT_TRUE(allows("fork 1 2 join 3 2", {0, 1}));
}

TEST(Semantics, AWaitGivesUpItsLockAndAWakeTakesItBack) {
  const auto text = "acq 1 l wait 1 c l acq 2 l notify 2 c rel 2 l wake 1 c l rel 1 l";
  EXPECT_TRUE(allows(text, {0, 1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(allows(text, {0, 2}));
  EXPECT_FALSE(allows(text, {0, 1, 2, 3, 5}));
}

TEST(Semantics, AWakeComesAfterItsNotifyAndThatAfterItsWait) {
  const auto text = "acq 1 l wait 1 c l notify 2 c wake 1 c l";
  EXPECT_FALSE(allows(text, {0, 1, 3}));
  EXPECT_TRUE(allows(text, {2, 0, 1}));
  EXPECT_FALSE(allows(text, {2, 0, 1, 3}));
}

TEST(Semantics, ASpuriousWakeNeedsNoNotify) {
  const auto text = "acq 1 l wait 1 c l wr 2 x wake 1 c l spurious";
  EXPECT_TRUE(allows(text, {0, 1, 3}));
}

TEST(Semantics, ANotifyServesNoOtherWait) {
  // 4 serves thread 1; with only thread 2 waiting it would serve thread 2.
  const auto text =
      "acq 1 l wait 1 c l acq 2 l wait 2 c l notify 3 c #1 notify 3 c #2"
      " wake 1 c l #1 rel 1 l wake 2 c l #2";
  EXPECT_TRUE(allows(text, {0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(allows(text, {2, 3, 4}));
  EXPECT_TRUE(allows(text, {4, 0, 1}));
}

TEST(Semantics, ALostNotifyStaysLost) {
  const auto text = "notify 2 c acq 1 l wait 1 c l";
  EXPECT_TRUE(allows(text, {1, 0, 2}));
  EXPECT_FALSE(allows(text, {1, 2, 0}));
}

TEST(Semantics, ANotifyWhoseWakeWasCutOffMayFindAWaiterAgain) {
  const auto text = "acq 1 l wait 1 c l notify 2 c";
  EXPECT_TRUE(allows(text, {0, 1, 2}));
  EXPECT_TRUE(allows(text, {2, 0, 1}));
}

TEST(Semantics, NotifyAllServesAllItServedOrThoseNeverWoken) {
  const auto text =
      "acq 1 l wait 1 c l acq 2 l wait 2 c l notifyall 3 c wake 1 c l rel 1 l wake 2 c l";
  EXPECT_TRUE(allows(text, {2, 3, 0, 1, 4, 7}));
  EXPECT_TRUE(allows(text, {2, 3, 4, 7}));
  EXPECT_TRUE(allows("acq 1 l wait 1 c l notifyall 3 c", {0, 1, 2}));
}

TEST(Semantics, NotifyAllDoesNotServeAWaitThatCameLater) {
  const auto text = "notifyall 3 c acq 1 l wait 1 c l notify 3 c wake 1 c l";
  EXPECT_FALSE(allows(text, {1, 2, 0}));
}

TEST(Semantics, ABarrierOpensWhenItsGenerationHasEntered) {
  const auto text = "enter 1 b enter 2 b leave 1 b leave 2 b";
  EXPECT_TRUE(allows(text, {1, 0, 3, 2}));
  EXPECT_FALSE(allows(text, {0, 2}));
}

TEST(Semantics, ABarrierGenerationFillsAfterTheOneBefore) {
  const auto text = "enter 1 b leave 1 b enter 2 b leave 2 b";
  EXPECT_FALSE(allows(text, {2}));
  EXPECT_TRUE(allows(text, {0, 2, 3, 1}));
}

TEST(Semantics, ADownComesAfterItsPost) {
  EXPECT_FALSE(allows("post 1 s down 2 s", {1}));
  EXPECT_TRUE(allows("post 1 s down 2 s initial", {1}));
  EXPECT_TRUE(allows("down 2 s post 1 s", {1, 0}));
}

TEST(Semantics, ADownKeepsItsOwnPost) {
  EXPECT_FALSE(allows("post 1 s #1 post 2 s #2 down 3 s #2", {0, 2}));
  EXPECT_TRUE(allows("post 1 s #1 post 2 s #2 down 3 s #2", {1, 2}));
}

TEST(Semantics, TheRestIsAlwaysEnabled) {
  const auto text =
      "start 1 beg 1 a call 1 f fence 1 branch 1 alloc 1 p user 1 e\nret 1 f end 1 a exit 1 wr 2 x";
  EXPECT_TRUE(allows(text, {10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace foretell::oracle

// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "unit/trace/normalized.h"

namespace foretell::trace {
namespace {

TEST(BarrierRules, ActingAtABarrier) {
  EXPECT_EQ(refusal("enter 1 b\nrd 1 x"), "event 1: thread 1 acts while it is at barrier b");
  EXPECT_EQ(refusal("enter 1 b\nenter 1 b"), "event 1: thread 1 acts while it is at barrier b");
  EXPECT_EQ(refusal("enter 1 b\nleave 1 b\nrd 1 x"), "");
}

TEST(BarrierRules, LeavingABarrierNeverEntered) {
  EXPECT_EQ(refusal("leave 1 b"), "event 0: thread 1 leaves barrier b, which it has not entered");
  EXPECT_EQ(refusal("enter 1 a\nleave 1 b"),
            "event 1: thread 1 leaves barrier b, which it has not entered");
}

TEST(BarrierRules, EnteringAnOpenedGeneration) {
  EXPECT_EQ(refusal("enter 1 b #0\nleave 1 b #0\nenter 2 b #0"),
            "event 2: thread 2 enters generation #0 of barrier b, which has opened already");
  EXPECT_EQ(refusal("enter 1 b #0\nleave 1 b #0\nenter 2 b #1"), "");
}

TEST(BarrierRules, EnteringAnOldGenerationAfterANewerOneBegan) {
  EXPECT_EQ(refusal("enter 1 b #0\nenter 2 b #1\nenter 3 b #0"),
            "event 2: thread 3 enters generation #0 of barrier b, which has opened already");
}

TEST(BarrierRules, LeavingAnotherGeneration) {
  EXPECT_EQ(refusal("enter 1 b #0\nleave 1 b #1"),
            "event 1: thread 1 leaves generation #1 of barrier b, but it entered another");
  EXPECT_EQ(refusal("enter 1 b #5\nleave 1 b #5"), "");
}

TEST(BarrierGenerations, TheFirstArrivalAfterALeaveBeginsTheNext) {
  EXPECT_EQ(
      normalized("enter 1 b\nenter 2 b\nleave 2 b\nenter 2 b\nleave 1 b\nenter 1 b\nleave 1 b"),
      "0 enter 1 b 0\n1 enter 2 b 0\n2 leave 2 b 0\n3 enter 2 b 1\n4 leave 1 b 0\n"
      "5 enter 1 b 1\n6 leave 1 b 1\n");
}

TEST(BarrierGenerations, AnExplicitGenerationCountsBeforeAnyLeaveIsRecorded) {
  EXPECT_EQ(normalized("enter 1 b #0\nenter 2 b #0\nenter 3 b #1\nleave 1 b #0\nenter 1 b #1"),
            "0 enter 1 b 0\n1 enter 2 b 0\n2 enter 3 b 1\n3 leave 1 b 0\n4 enter 1 b 1\n");
}

TEST(BarrierGenerations, NumbersMayHaveGaps) {
  EXPECT_EQ(normalized("enter 1 b #40\nleave 1 b #40\nenter 1 b #90\nleave 1 b"),
            "0 enter 1 b 0\n1 leave 1 b 0\n2 enter 1 b 1\n3 leave 1 b 1\n");
}

TEST(BarrierGenerations, BarriersCountApart) {
  EXPECT_EQ(normalized("enter 1 a\nleave 1 a\nenter 1 a\nenter 2 b"),
            "0 enter 1 a 0\n1 leave 1 a 0\n2 enter 1 a 1\n3 enter 2 b 0\n");
}

TEST(OpenPrefix, BarriersMayStayClosed) {
  EXPECT_EQ(refusal("enter 1 b\nenter 2 b"), "");
}

TEST(SemaphoreRules, TicketStillInUse) {
  EXPECT_EQ(refusal("post 1 s #3\npost 1 s #3"),
            "event 1: thread 1 posts semaphore s with ticket #3, which is still in use");
  EXPECT_EQ(refusal("post 1 s #3\ndown 2 s #3\npost 1 s #3"), "");
}

TEST(SemaphoreRules, DownByATicketNobodyLeft) {
  EXPECT_EQ(
      refusal("down 1 s #3"),
      "event 0: thread 1 decrements semaphore s by ticket #3, which no earlier post has left");
  EXPECT_EQ(
      refusal("post 1 s #3\ndown 2 s #3\ndown 3 s #3"),
      "event 2: thread 3 decrements semaphore s by ticket #3, which no earlier post has left");
}

TEST(SemaphorePartners, ByTicketInAnyOrder) {
  EXPECT_EQ(normalized("post 1 s #1\npost 1 s #2\ndown 2 s #2\ndown 2 s #1"),
            "0 post 1 s\n1 post 1 s\n2 down 2 s by 1\n3 down 2 s by 0\n");
}

TEST(SemaphorePartners, OldestFirst) {
  EXPECT_EQ(normalized("post 1 s\npost 1 s\ndown 2 s\ndown 2 s"),
            "0 post 1 s\n1 post 1 s\n2 down 2 s by 0\n3 down 2 s by 1\n");
}

TEST(SemaphorePartners, WithoutAPostItWasTheInitialCount) {
  EXPECT_EQ(normalized("down 2 s\npost 1 s\ndown 2 s initial\ndown 2 s"),
            "0 down 2 s by none\n1 post 1 s\n2 down 2 s by none\n3 down 2 s by 1\n");
}

TEST(SemaphorePartners, APostTakenByTicketIsNotTakenAgain) {
  EXPECT_EQ(normalized(
                "post 1 s #1\npost 1 s #2\npost 1 s #3\ndown 2 s #2\ndown 2 s\ndown 2 s\ndown 2 s"),
            "0 post 1 s\n1 post 1 s\n2 post 1 s\n3 down 2 s by 1\n4 down 2 s by 0\n"
            "5 down 2 s by 2\n6 down 2 s by none\n");
}

TEST(SemaphorePartners, AReusedTicketMeansTheNewPost) {
  EXPECT_EQ(
      normalized("post 1 s\npost 1 s #2\ndown 2 s #2\npost 1 s #2\ndown 2 s\ndown 2 s\ndown 2 s"),
      "0 post 1 s\n1 post 1 s\n2 down 2 s by 1\n3 post 1 s\n4 down 2 s by 0\n"
      "5 down 2 s by 3\n6 down 2 s by none\n");
}

TEST(SemaphorePartners, ALongQueueOfTicketsIsNoBurden) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += fmt::format("post 1 s #{}\n", i);
  EXPECT_TRUE(normalized(text + "down 2 s #49999").ends_with("\n50000 down 2 s by 49999\n"));
}

}  // namespace
}  // namespace foretell::trace

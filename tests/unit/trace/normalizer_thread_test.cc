// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "unit/trace/normalized.h"

namespace foretell::trace {
namespace {

TEST(ThreadRules, ActingAfterTheEnd) {
  EXPECT_EQ(refusal("exit 1\nrd 1 x"), "event 1: thread 1 acts after its end");
  EXPECT_EQ(refusal("rd 1 x\nexit 1"), "");
}

TEST(ThreadRules, ActingAfterBeingJoined) {
  EXPECT_EQ(refusal("fork 1 2\njoin 1 2\nrd 2 x"), "event 2: thread 2 acts after it was joined");
  EXPECT_EQ(refusal("fork 1 2\nrd 2 x\njoin 1 2"), "");
}

TEST(ThreadRules, BeginAfterTheFirstEvent) {
  EXPECT_EQ(refusal("rd 1 x\nstart 1"), "event 1: thread 1 begins after its first event");
  EXPECT_EQ(refusal("start 1\nstart 1"), "event 1: thread 1 begins after its first event");
  EXPECT_EQ(refusal("fork 1 2\nstart 2\nrd 2 x"), "");
}

TEST(ThreadRules, ForkOfItself) {
  EXPECT_EQ(refusal("fork 1 1"), "event 0: thread 1 forks itself");
}

TEST(ThreadRules, ForkTwice) {
  EXPECT_EQ(refusal("fork 1 2\nfork 1 2"),
            "event 1: thread 1 forks thread 2, which was forked before");
  EXPECT_EQ(refusal("fork 1 2\nfork 1 3"), "");
}

TEST(ThreadRules, ForkOfAThreadThatHasActed) {
  EXPECT_EQ(refusal("rd 2 x\nfork 1 2"),
            "event 1: thread 1 forks thread 2, which has acted before");
  EXPECT_EQ(refusal("fork 1 2\nfork 2 1"),
            "event 1: thread 2 forks thread 1, which has acted before");
}

TEST(ThreadRules, JoinOfItself) {
  EXPECT_EQ(refusal("join 1 1"), "event 0: thread 1 joins itself");
}

TEST(ThreadRules, JoinOfAThreadNobodyKnows) {
  EXPECT_EQ(refusal("join 1 2"),
            "event 0: thread 1 joins thread 2, which was never forked and has no events");
  EXPECT_EQ(refusal("fork 1 2\njoin 1 2"), "");
}

TEST(ThreadRules, AThreadNobodyForksExistsFromTheStart) {
  EXPECT_EQ(refusal("rd 2 x\njoin 1 2"), "");
}

// The second join fails in the program, after it has waited as the first one did.
TEST(ThreadRules, JoinTwice) {
  EXPECT_EQ(refusal("fork 1 2\njoin 1 2\njoin 1 2"), "");
  EXPECT_EQ(refusal("fork 1 2\njoin 1 2\njoin 1 2\nrd 2 x"),
            "event 3: thread 2 acts after it was joined");
  EXPECT_EQ(refusal("fork 1 2\nfork 1 3\njoin 1 2\njoin 1 3"), "");
}

TEST(ThreadRules, JoinOfAWaitingThread) {
  EXPECT_EQ(refusal("acq 2 m\nwait 2 c m\njoin 1 2"),
            "event 2: thread 1 joins thread 2, which is still waiting");
  EXPECT_EQ(refusal("enter 2 b\njoin 1 2"),
            "event 1: thread 1 joins thread 2, which is still waiting");
  EXPECT_EQ(refusal("acq 2 m\nwait 2 c m\nwake 2 c m\njoin 1 2"), "");
}

TEST(ThreadRules, GapsInThreadNumbersAndNamesAreFree) {
  EXPECT_EQ(refusal("fork main 900\nrd 900 x\nfork 900 \"Jürgen\"\nwr Jürgen x"), "");
}

TEST(BlockRules, EndWithoutBegin) {
  EXPECT_EQ(refusal("end 1 a"), "event 0: thread 1 ends block a, but no block is open");
  EXPECT_EQ(refusal("beg 2 a\nend 1 a"), "event 1: thread 1 ends block a, but no block is open");
  EXPECT_EQ(refusal("beg 1 a\nend 1 a"), "");
}

TEST(BlockRules, BlocksNest) {
  EXPECT_EQ(refusal("beg 1 a\nbeg 1 b\nend 1 a"),
            "event 2: thread 1 ends block a, but the innermost open block is b");
  EXPECT_EQ(refusal("beg 1 a\nbeg 1 b\nend 1 b\nend 1 a"), "");
}

TEST(BlockRules, ExitOfAFunctionNeverEntered) {
  EXPECT_EQ(refusal("call 1 f\nret 1 g"),
            "event 1: thread 1 leaves function g, which it has not entered");
  EXPECT_EQ(refusal("call 1 f\nret 1 f"), "");
}

TEST(BlockRules, AnExceptionLeavesSeveralFunctions) {
  EXPECT_EQ(refusal("call 1 f\ncall 1 g\ncall 1 h\nret 1 f"), "");
  EXPECT_EQ(refusal("call 1 f\ncall 1 g\nret 1 f\nret 1 g"),
            "event 3: thread 1 leaves function g, which it has not entered");
}

TEST(OpenPrefix, BlocksCallsAndThreadsMayStayOpen) {
  EXPECT_EQ(refusal("start 1\nfork 1 2\nbeg 1 a\ncall 2 f"), "");
}

TEST(OpenPrefix, AnEmptyTraceIsATrace) {
  EXPECT_EQ(normalized(""), "");
}

TEST(PassedThrough, EventsWithoutRules) {
  EXPECT_EQ(normalized("fence 1 sc\nbranch 1 1\nuser 1 opened a.txt"),
            "0 fence 1\n1 branch 1\n2 user 1\n");
}

}  // namespace
}  // namespace foretell::trace

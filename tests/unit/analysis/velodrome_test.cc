// SPDX-License-Identifier: Apache-2.0

// Velodrome: conflicts of the observed run, one by one, and blame.
#include "analysis/atomicity/velodrome/velodrome.h"

#include <gtest/gtest.h>

#include "unit/analysis/atomicity_fixture.h"

namespace foretell::analysis {
namespace {

using Errors = std::vector<std::string>;

Errors velodrome_errors_of(std::string_view text) {
  return run_atomicity<Velodrome>(text).texts();
}

TEST(Velodrome, EachPatternOfThree) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a rd 1 x wr 2 x rd 1 x end 1 a"), (Errors{"R-W-R a 1-2-3"}));
  EXPECT_EQ(velodrome_errors_of("beg 1 a wr 1 x wr 2 x rd 1 x end 1 a"), (Errors{"W-W-R a 1-2-3"}));
  EXPECT_EQ(velodrome_errors_of("beg 1 a rd 1 x wr 2 x wr 1 x end 1 a"), (Errors{"R-W-W a 1-2-3"}));
  EXPECT_EQ(velodrome_errors_of("beg 1 a wr 1 x rd 2 x wr 1 x end 1 a"), (Errors{"W-R-W a 1-2-3"}));
}

TEST(Velodrome, NoConflictNoViolation) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a rd 1 x rd 2 x rd 1 x end 1 a"), Errors{});
  EXPECT_EQ(velodrome_errors_of("beg 1 a wr 1 x rd 2 x rd 1 x end 1 a"), Errors{});
  EXPECT_EQ(velodrome_errors_of("beg 1 a rd 1 x wr 2 y rd 1 x end 1 a"), Errors{});
  EXPECT_EQ(velodrome_errors_of("beg 1 a wr 1 x end 1 a wr 2 x beg 1 a wr 1 x end 1 a"), Errors{});
}

TEST(Velodrome, DoesNotPredict) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a rd 1 x wr 1 x end 1 a wr 2 x"), Errors{});
}

// PREDICT figure 18.2; the locks alone are enough.
TEST(Velodrome, Locks) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a acq 1 l rel 1 l acq 2 l rel 2 l acq 1 l rel 1 l end 1 a"),
            (Errors{"lock a 2-4-5"}));
  EXPECT_EQ(
      velodrome_errors_of("beg 1 a sacq 1 l srel 1 l sacq 2 l srel 2 l sacq 1 l srel 1 l end 1 a"),
      Errors{});
}

TEST(Velodrome, AskingForALockInTheMiddleChangesNothing) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a acq 1 l req 2 l rel 1 l end 1 a acq 2 l rel 2 l"),
            Errors{});
}

TEST(Velodrome, ThroughAThirdThread) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a wr 1 x rd 2 x wr 2 y rd 3 y wr 3 z rd 1 z end 1 a"),
            (Errors{"chain a 1-5-6"}));
}

TEST(Velodrome, ForkAndJoinInABlock) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a fork 1 2 wr 2 x join 1 2 end 1 a"),
            (Errors{"chain a 1-2-3"}));
}

TEST(Velodrome, InnerBlocksAreBlamedOnlyIfTheyContainBoth) {
  EXPECT_EQ(velodrome_errors_of("beg 1 a rd 1 x beg 1 b wr 2 x wr 1 x end 1 b end 1 a"),
            (Errors{"R-W-W a 1-3-4"}));
  EXPECT_EQ(velodrome_errors_of("beg 1 a beg 1 b rd 1 x wr 2 x wr 1 x end 1 b end 1 a"),
            (Errors{"R-W-W a:b 2-3-4"}));
  // The later first access is in b.
  EXPECT_EQ(velodrome_errors_of("beg 1 a rd 1 x beg 1 b rd 1 x wr 2 x wr 1 x end 1 b end 1 a"),
            (Errors{"R-W-W a:b 3-4-5"}));
}

// Each block could stand together, but not both.
TEST(Velodrome, BlocksThatOnlyTogetherCannotBeAtomic) {
  EXPECT_EQ(velodrome_errors_of("beg 2 b wr 2 x beg 1 a wr 1 y rd 2 y end 2 b rd 1 x end 1 a"),
            (Errors{"cycle a:b 1-3-4-6"}));
}

TEST(Velodrome, ForgetsWhatIsOver) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "beg 1 a wr 1 x end 1 a beg 2 b wr 2 x end 2 b wr 3 x\n";
  }
  const AtomicityOutcome outcome = run_atomicity<Velodrome>(text);
  EXPECT_EQ(outcome.texts(), Errors{});
  EXPECT_EQ(outcome.counters.at("transaction"), 2000);
  EXPECT_LE(outcome.counters.at("most transactions at a time"), 2);
}

// Everything that follows the open block is kept, as one node for each thread if nothing new
// happens.
TEST(Velodrome, EventsOutsideJoinWhatTheyDependOn) {
  std::string text = "beg 1 a wr 1 x rd 2 x\n";
  for (int i = 0; i < 1000; ++i) text += "wr 2 y\n";
  const AtomicityOutcome outcome = run_atomicity<Velodrome>(text + "end 1 a");
  EXPECT_LE(outcome.counters.at("most transactions at a time"), 2);
}

}  // namespace
}  // namespace foretell::analysis

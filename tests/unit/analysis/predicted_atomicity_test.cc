// SPDX-License-Identifier: Apache-2.0

// What predicted_atomicity proposes, and what it knows cannot be.
#include "analysis/atomicity/predicted/predicted.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/analysis/atomicity_fixture.h"

namespace foretell::analysis {
namespace {

using Errors = std::vector<std::string>;

Errors predicted_errors_of(std::string_view text) {
  Errors errors = run_atomicity<PredictedAtomicity>(text).texts();
  std::ranges::sort(errors);
  return errors;
}

TEST(PredictedAtomicity, EachPatternWhereverTheIntruderWas) {
  EXPECT_EQ(predicted_errors_of("beg 1 a rd 1 x rd 1 x end 1 a wr 2 x"), (Errors{"R-W-R a 1-4-2"}));
  EXPECT_EQ(predicted_errors_of("wr 2 x beg 1 a rd 1 x rd 1 x end 1 a"), (Errors{"R-W-R a 2-0-3"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a wr 1 x rd 1 x end 1 a wr 2 x"), (Errors{"W-W-R a 1-4-2"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a rd 1 x wr 1 x end 1 a wr 2 x"), (Errors{"R-W-W a 1-4-2"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a wr 1 x wr 1 x end 1 a rd 2 x"), (Errors{"W-R-W a 1-4-2"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a rmw 1 x rmw 1 x end 1 a rmw 2 x"),
            (Errors{"U-U-U a 1-4-2"}));
}

TEST(PredictedAtomicity, HarmlessOnes) {
  EXPECT_EQ(predicted_errors_of("beg 1 a rd 1 x rd 1 x end 1 a rd 2 x"), Errors{});
  EXPECT_EQ(predicted_errors_of("beg 1 a wr 1 x rd 1 x end 1 a rd 2 x"), Errors{});
  EXPECT_EQ(predicted_errors_of("beg 1 a wr 1 x wr 1 x end 1 a wr 2 x"), Errors{});
  EXPECT_EQ(predicted_errors_of("beg 1 a rd 1 x end 1 a wr 2 x"), Errors{});
}

TEST(PredictedAtomicity, ALockHeldThroughoutGuards) {
  EXPECT_EQ(
      predicted_errors_of("beg 1 a acq 1 l rd 1 x wr 1 x rel 1 l end 1 a acq 2 l wr 2 x rel 2 l"),
      Errors{});
  EXPECT_EQ(predicted_errors_of("beg 1 a acq 1 l rd 1 x wr 1 x rel 1 l end 1 a wr 2 x"),
            (Errors{"R-W-W a 2-6-3"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a acq 1 l rd 1 x rel 1 l acq 1 l wr 1 x rel 1 l end 1 a "
                                "acq 2 l wr 2 x rel 2 l"),
            (Errors{"R-W-W a 2-9-5"}));
}

TEST(PredictedAtomicity, KnowsTheAcquiresBetweenWhichTheIntruderCanGo) {
  const auto outcome = run_atomicity<PredictedAtomicity>(
      "beg 1 a acq 1 l rd 1 x rel 1 l acq 1 l wr 1 x rel 1 l end 1 a acq 2 l wr 2 x rel 2 l");
  ASSERT_EQ(outcome.proposals.size(), 1);
  ASSERT_EQ(outcome.proposals[0].meeting.size(), 2);
  EXPECT_EQ(outcome.proposals[0].meeting[0].index, EventIndex{8});
  EXPECT_EQ(outcome.proposals[0].meeting[1].index, EventIndex{4});
}

TEST(PredictedAtomicity, ForkAndJoinOrder) {
  EXPECT_EQ(predicted_errors_of("wr 1 x fork 1 2 beg 2 a rd 2 x wr 2 x end 2 a"), Errors{});
  EXPECT_EQ(predicted_errors_of("fork 1 2 beg 2 a rd 2 x wr 2 x end 2 a join 1 2 wr 1 x"),
            Errors{});
  EXPECT_EQ(predicted_errors_of("fork 1 2 beg 2 a rd 2 x wr 2 x end 2 a wr 1 x join 1 2"),
            (Errors{"R-W-W a 2-5-3"}));
}

TEST(PredictedAtomicity, AnotherAccessBetweenDoesNotHideTwoWrites) {
  EXPECT_EQ(predicted_errors_of("beg 1 a wr 1 x rd 1 x wr 1 x end 1 a rd 2 x"),
            (Errors{"W-R-W a 1-5-3"}));
}

TEST(PredictedAtomicity, TwoLocations) {
  EXPECT_EQ(predicted_errors_of("beg 1 a rd 1 x rd 1 y end 1 a wr 2 x wr 2 y"),
            (Errors{"two locations a 1-4-5-2"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a rd 1 x rd 1 y end 1 a wr 2 y wr 2 x"), Errors{});
}

TEST(PredictedAtomicity, BlamesTheBlocksAroundBoth) {
  EXPECT_EQ(predicted_errors_of("beg 1 a beg 1 b rd 1 x end 1 b wr 1 x end 1 a wr 2 x"),
            (Errors{"R-W-W a 2-6-4"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a beg 1 b rd 1 x wr 1 x end 1 b end 1 a wr 2 x"),
            (Errors{"R-W-W a:b 2-6-3"}));
  EXPECT_EQ(predicted_errors_of("beg 1 a rd 1 x end 1 a beg 1 a wr 1 x end 1 a wr 2 x"), Errors{});
}

}  // namespace
}  // namespace foretell::analysis

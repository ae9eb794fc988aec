// SPDX-License-Identifier: Apache-2.0

// What the judge makes of reads of which nobody knows the writer (Event::kAmbiguous).
#include "judge/judge.h"
#include "judge/reordering.h"
#include "unit/judge/excerpts.h"
#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

// The trace of `text`, with the read at `position` ambiguous.
trace::Trace with_ambiguous(std::string_view text, Position position) {
  trace::Trace trace = trace_of(text);
  trace.events[position].flags |= trace::Event::kAmbiguous;
  return trace;
}

TEST(AmbiguousRead, IsNeverEnabled) {
  const trace::Trace trace = with_ambiguous("wr 1 x rd 2 x", 1);
  EXPECT_FALSE(check_reordering(trace, Interleaving{0}).has_value());
  ASSERT_TRUE(check_reordering(trace, Interleaving{0, 1}).has_value());
  EXPECT_EQ(check_reordering(trace, Interleaving{0, 1})->reason,
            "event 1 (rd of thread 2) is not enabled: which write it returns is not known");
}

TEST(AmbiguousRead, MayRaceItself) {
  EXPECT_EQ(judge_race(with_ambiguous("wr 1 x rd 2 x", 1), 0, 1).outcome, JudgeOutcome::witness);
}

TEST(AmbiguousRead, ARaceThatNeedsItIsGivenUp) {
  const trace::Trace trace = with_ambiguous("wr 1 x wr 1 y rd 2 x wr 2 y", 2);
  const Judgement judgement = judge_race(trace, 1, 3);
  EXPECT_EQ(judgement.outcome, JudgeOutcome::gave_up);
  EXPECT_EQ(judgement.reason,
            "the order of event 2, a read, and the writes that raced with it in a --parallel "
            "recording is not known");
}

// Without the mark the read keeps the two apart: that is no longer a proof.
TEST(AmbiguousRead, RefutesNothing) {
  constexpr std::string_view kText = "wr 1 x wr 1 y rd 2 y wr 2 x";
  EXPECT_EQ(judge_race(trace_of(kText), 0, 3).outcome, JudgeOutcome::impossible);
  EXPECT_EQ(judge_race(with_ambiguous(kText, 2), 0, 3).outcome, JudgeOutcome::gave_up);
}

TEST(AmbiguousRead, LeavesRacesThatDoNotNeedIt) {
  const trace::Trace trace = with_ambiguous("wr 1 x rd 2 x wr 3 y wr 4 y", 1);
  EXPECT_EQ(judge_race(trace, 2, 3).witness.written_out(), (Interleaving{2, 3}));
}

TEST(AmbiguousRead, ThatASearchCouldUseLeavesTheAnswerOpen) {
  // Thread 3 must hold m for the try to fail, and reads y before: whether it can is not known.
  constexpr std::string_view kText = "wr 3 y rd 4 y acq 4 m tryfail 1 m rel 4 m wr 1 x wr 2 x";
  EXPECT_EQ(judge_race(trace_of(kText), 5, 6).outcome, JudgeOutcome::witness);
  EXPECT_EQ(judge_race(with_ambiguous(kText, 1), 5, 6).outcome, JudgeOutcome::gave_up);
}

TEST(AmbiguousRead, BeforeAnExcerptMakesItUseless) {
  const trace::Trace trace = with_ambiguous("wr 1 x rd 2 x wr 3 y wr 4 y", 1);
  EXPECT_FALSE(excerpt_of(trace, {EventIndex{2}, EventIndex{3}}));
  EXPECT_TRUE(excerpt_of(trace, {EventIndex{1}, EventIndex{3}}));
}

}  // namespace
}  // namespace foretell::judge

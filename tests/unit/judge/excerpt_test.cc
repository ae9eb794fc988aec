// SPDX-License-Identifier: Apache-2.0

#include "judge/excerpt.h"

#include "judge/judge.h"
#include "judge/reordering.h"
#include "unit/judge/excerpts.h"
#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

Stretch events(uint64_t from, uint64_t last) {
  return {EventIndex{from}, EventIndex{last}};
}

// "0 2 | 3 4 5 | 9": the indices of the three parts.
std::string parts(std::string_view text, uint64_t from, uint64_t last) {
  const trace::Trace trace = trace_of(text);
  const Excerpt excerpt = excerpt_of(trace, events(from, last)).value();
  std::string out;
  for (Position p = 0; p <= excerpt.trace.events.size(); ++p) {
    if (p == excerpt.begin) out += "| ";
    if (p == excerpt.end) out += "| ";
    if (p == excerpt.trace.events.size()) break;
    out += std::to_string(to_index(excerpt.trace.events[p].index)) + " ";
  }
  return out;
}

JudgeOutcome race(std::string_view text, uint64_t from, Position a, Position b) {
  const trace::Trace trace = trace_of(text);
  const Stretch stretch = events(from, b);
  const Excerpt excerpt = excerpt_of(trace, stretch).value();
  const Judge judge(excerpt);
  const Position start = start_of(trace, stretch);
  const Judgement judgement = judge.race(a - start + excerpt.begin, b - start + excerpt.begin);
  if (judgement.outcome == JudgeOutcome::witness) {
    const Reordering whole = in_trace(judgement.witness, excerpt, start);
    EXPECT_FALSE(check_race_witness(trace, whole.written_out()));
  }
  return judgement.outcome;
}

constexpr JudgeOutcome kWitness = JudgeOutcome::witness, kGaveUp = JudgeOutcome::gave_up;

TEST(Excerpt, KeepsTheAcquiresOfOpenSections) {
  EXPECT_EQ(parts("acq 1 l rel 1 l acq 1 m sacq 2 n wr 1 x wr 2 x", 4, 5), "2 3 | 4 5 | ");
}

TEST(Excerpt, KeepsWaitsThatAreUnderWayAndTheNotifyThatHasReachedThem) {
  const char* text = "acq 1 l wait 1 c l wr 2 x notify 2 c wr 2 y wr 3 y wake 1 c l rel 1 l wr 1 y";
  EXPECT_EQ(parts(text, 4, 5), "0 1 3 | 4 5 | 6 ");
  EXPECT_EQ(parts(text, 2, 8), "0 1 | 2 3 4 5 6 7 8 | ");
}

TEST(Excerpt, ALockHeldBeforeItStaysHeld) {
  const char* text = "acq 1 l wr 3 y wr 1 x rel 1 l acq 2 l wr 2 x rel 2 l";
  EXPECT_EQ(race(text, 1, 2, 5), kGaveUp);
  EXPECT_EQ(race("acq 1 l rel 1 l wr 3 y wr 1 x acq 2 l wr 2 x rel 2 l", 2, 3, 5), kWitness);
}

TEST(Excerpt, SectionsWithinItMayBeSwapped) {
  EXPECT_EQ(race("wr 3 y wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x", 1, 1, 6), kWitness);
}

TEST(Excerpt, WhatCameBeforeHasHappened) {
  EXPECT_EQ(race("fork 3 1 fork 3 2 post 3 s alloc 3 h down 2 s wr 1 h rd 2 h", 4, 5, 6), kWitness);
  EXPECT_EQ(race("enter 1 b enter 2 b leave 2 b leave 1 b wr 1 x wr 2 x", 2, 4, 5), kWitness);
  EXPECT_EQ(race("wr 3 y wr 3 y wr 1 x rd 2 y wr 2 x", 2, 2, 4), kWitness);
}

TEST(Excerpt, ANotifyKnowsTheWakesThatComeLater) {
  // Thread 3 gets m only while thread 2 waits. Its notify woke thread 1, whose wait comes after the
  // race: it would wake thread 2. That it woke thread 1 is only seen behind the excerpt.
  const char* text =
      "acq 1 l acq 2 m wr 1 x wait 1 c l wait 2 c m acq 3 m notify 3 c #1 wr 3 x wake 1 c l #1";
  EXPECT_EQ(race(text, 2, 2, 7), kGaveUp);
}

TEST(Excerpt, NothingIsRefuted) {
  EXPECT_EQ(race("wr 3 y wr 1 x fork 1 2 wr 2 x", 1, 1, 3), kGaveUp);
}

TEST(Excerpt, AWrongTailIsRefused) {
  const trace::Trace trace = trace_of("acq 1 l wr 3 y wr 1 x rel 1 l acq 2 l wr 2 x");
  const Excerpt excerpt = excerpt_of(trace, events(1, 5)).value();
  ASSERT_EQ(excerpt.begin, 1u);
  const TraceFacts facts(excerpt);
  // Positions in the excerpt: 0 acq 1 l, 1 wr 3 y, 2 wr 1 x, 3 rel 1 l, 4 acq 2 l, 5 wr 2 x.
  EXPECT_FALSE(check_reordering(facts, Reordering{1, {2, 3, 4}}));
  EXPECT_EQ(check_reordering(facts, Reordering{1, {2, 4}})->reason,
            "event 4 (acq of thread ?) is not enabled: the lock is held");
  EXPECT_TRUE(check_race_witness(facts, {1, {4, 2, 5}}));
  EXPECT_TRUE(check_reordering(facts, Reordering{0, {4}}));     // leaves out what has happened
  EXPECT_TRUE(check_reordering(facts, Reordering{1, {3}}));     // not the next one
  EXPECT_TRUE(check_reordering(facts, Reordering{1, {2, 6}}));  // not in it
}

TEST(Excerpt, WakesBehindItNeverHappen) {
  const trace::Trace trace = trace_of("acq 1 l wait 1 c l wr 2 x notify 2 c wake 1 c l");
  const Excerpt excerpt = excerpt_of(trace, events(2, 3)).value();
  ASSERT_EQ(excerpt.end + 1, excerpt.trace.events.size());
  const TraceFacts facts(excerpt);
  const Position begin = excerpt.begin;
  EXPECT_FALSE(check_reordering(facts, Reordering{begin, {begin, begin + 1}}));
  EXPECT_TRUE(check_reordering(facts, Reordering{begin, {begin, begin + 1, begin + 2}}));
}

}  // namespace
}  // namespace foretell::judge

// SPDX-License-Identifier: Apache-2.0

#include "judge/judge.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "judge/reordering.h"
#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

std::string_view word_of(JudgeOutcome outcome) {
  switch (outcome) {
    case JudgeOutcome::witness:
      return "witness";
    case JudgeOutcome::impossible:
      return "impossible";
    case JudgeOutcome::gave_up:
      return "gave up";
  }
  return "";
}

// "witness 3 4 0 5", "impossible" or "gave up".
std::string verdict(const trace::Trace& trace, Position first, Position second) {
  const Judgement judgement = judge_race(trace, first, second);
  std::string text(word_of(judgement.outcome));
  for (Position p : judgement.witness.written_out()) text += " " + std::to_string(p);
  return text;
}

std::string verdict(std::string_view text, Position first, Position second) {
  return verdict(trace_of(text), first, second);
}

TEST(Judge, RecordedNeighborsRace) {
  EXPECT_EQ(verdict("wr 1 x wr 2 x", 0, 1), "witness 0 1");
}

TEST(Judge, EventsThatDoNotClashAreImpossible) {
  EXPECT_EQ(verdict("rd 1 x rd 2 x", 0, 1), "impossible");
}

// PREDICT, figure 7.2, left: ordered by happens-before, yet the sections can be swapped.
TEST(Judge, PredictsTheRaceOfFigure72LeftByTakingTheLaterSectionFirst) {
  EXPECT_EQ(verdict("wr 1 x acq 1 l rel 1 l acq 2 l rel 2 l wr 2 x", 0, 5), "witness 3 4 0 5");
}

TEST(Judge, ConfirmsTheRaceOfFigure72Right) {
  EXPECT_EQ(verdict("acq 2 l rel 2 l wr 2 x wr 1 x acq 1 l rel 1 l", 2, 3), "witness 0 1 2 3");
}

TEST(Judge, CommonLockIsImpossible) {
  EXPECT_EQ(verdict("acq 1 l wr 1 x rel 1 l acq 2 l wr 2 x rel 2 l", 1, 4), "impossible");
}

TEST(Judge, CommonSharedLockProtectsNothing) {
  EXPECT_EQ(verdict("sacq 1 l wr 1 x srel 1 l sacq 2 l wr 2 x srel 2 l", 1, 4), "witness 0 3 1 4");
}

TEST(Judge, SharedAgainstExclusiveIsImpossible) {
  EXPECT_EQ(verdict("sacq 1 l rd 1 x srel 1 l acq 2 l wr 2 x rel 2 l", 1, 4), "impossible");
}

TEST(Judge, ForkOrdersTheChild) {
  EXPECT_EQ(verdict("wr 1 x fork 1 2 wr 2 x", 0, 2), "impossible");
  EXPECT_EQ(verdict("fork 1 2 wr 1 x wr 2 x", 1, 2), "witness 0 1 2");
}

TEST(Judge, JoinOrdersTheChild) {
  EXPECT_EQ(verdict("fork 1 2 wr 2 x join 1 2 wr 1 x", 1, 3), "impossible");
}

TEST(Judge, JoinOfAThirdThreadOrders) {
  EXPECT_EQ(verdict("fork 1 2 wr 2 x fork 2 3 start 3 join 1 3 wr 1 x", 1, 5), "impossible");
}

TEST(Judge, ReadsFromAnotherVariableOrders) {
  EXPECT_EQ(verdict("wr 1 x wr 1 y rd 2 y wr 2 x", 0, 3), "impossible");
}

TEST(Judge, WriterThatMustNotBeOverwritten) {
  // Event 3 reads y from event 0; thread 1's own later write of y must wait for it.
  EXPECT_EQ(verdict("wr 1 y acq 1 l rel 1 l rd 2 y wr 2 x wr 1 y wr 1 x", 4, 6),
            "witness 0 1 2 3 5 4 6");
}

TEST(Judge, SectionsAreSwappedWhenOneIsHeldAtTheRace) {
  // Thread 1 races inside its section of l, thread 2 has one of l behind it.
  EXPECT_EQ(verdict("acq 1 l wr 1 x rel 1 l acq 2 l rel 2 l wr 2 x", 1, 5), "witness 3 4 0 1 5");
}

TEST(Judge, SectionsThatReadEachOtherCannotBeSwapped) {
  EXPECT_EQ(verdict("acq 1 l wr 1 x wr 1 y rel 1 l acq 2 l rd 2 y rel 2 l wr 2 x", 1, 7),
            "impossible");
}

TEST(Judge, NotifyOrdersTheWake) {
  const char* text = "acq 1 l wait 1 c l wr 2 x acq 2 l notify 2 c rel 2 l wake 1 c l wr 1 x";
  EXPECT_EQ(verdict(text, 2, 7), "impossible");
}

TEST(Judge, SpuriousWakeDoesNot) {
  const char* text =
      "acq 1 l wait 1 c l wr 2 x acq 2 l notify 2 c rel 2 l wake 1 c l spurious wr 1 x";
  EXPECT_EQ(verdict(text, 2, 7), "witness 0 1 6 2 7");
}

TEST(Judge, BarrierOrders) {
  EXPECT_EQ(verdict("wr 1 x enter 1 b enter 2 b leave 2 b wr 2 x leave 1 b", 0, 4), "impossible");
  EXPECT_EQ(verdict("enter 1 b enter 2 b leave 2 b wr 2 x leave 1 b wr 1 x", 3, 5),
            "witness 0 1 2 4 3 5");
}

TEST(Judge, SemaphoreOrders) {
  EXPECT_EQ(verdict("wr 1 x post 1 s down 2 s wr 2 x", 0, 3), "impossible");
  EXPECT_EQ(verdict("wr 1 x post 1 s down 2 s initial wr 2 x", 0, 3), "witness 2 0 3");
}

TEST(Judge, FailedTryNeedsAHolder) {
  EXPECT_EQ(verdict("wr 1 x acq 1 l tryfail 2 l wr 2 x", 0, 3), "impossible");
  // Another thread may hold it as well.
  EXPECT_EQ(verdict("acq 3 l rel 3 l wr 1 x acq 1 l tryfail 2 l wr 2 x", 2, 5), "witness 0 4 2 5");
}

TEST(Judge, FreeRacesWithAnAccessOnEitherSide) {
  EXPECT_EQ(verdict("alloc 1 h wr 2 h free 3 h", 1, 2), "witness 0 1 2");
  EXPECT_EQ(verdict("alloc 1 h free 3 h wr 2 h", 1, 2), "witness 0 1 2");
}

TEST(Judge, AccessesOnTwoSidesOfAFreeAreImpossible) {
  EXPECT_EQ(verdict("wr 1 h free 3 h wr 2 h", 0, 2), "impossible");
}

TEST(Judge, AllocationIsPartOfTheWitness) {
  EXPECT_EQ(verdict("alloc 3 h wr 1 h wr 2 h", 1, 2), "witness 0 1 2");
}

TEST(Judge, WitnessLeavesOutWhatNothingNeeds) {
  EXPECT_EQ(verdict("wr 3 z wr 1 y wr 4 z wr 1 x wr 2 x", 3, 4), "witness 1 3 4");
}

TEST(Judge, WitnessStaysInAThread) {
  EXPECT_EQ(verdict("wr 1 a wr 2 b wr 1 c wr 2 d wr 1 x wr 2 x", 4, 5), "witness 0 2 1 3 4 5");
}

TEST(Judge, PiecesOfASplitAccessAreEventsOfTheirOwn) {
  const trace::Trace trace = trace_of("wr 1 b+0:8 wr 2 b+4:4");
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(verdict(trace, 1, 2), "witness 0 1 2");
}

TEST(Judge, LongTracesAreJudgedBeyondTheExactSize) {
  // The swap of figure 7.2 behind many sections that stay in order.
  std::string text;
  for (int i = 0; i < 40; ++i) text += "acq 1 m\nwr 1 a\nrel 1 m\nacq 2 m\nrd 2 a\nrel 2 m\n";
  text += "wr 1 x\nacq 1 l\nrel 1 l\nacq 2 l\nrel 2 l\nwr 2 x\n";
  const trace::Trace trace = trace_of(text);
  const Judgement judgement = judge_race(trace, 240, 245);
  EXPECT_EQ(judgement.outcome, JudgeOutcome::witness) << judgement.reason;
  EXPECT_EQ(judgement.step, JudgeStep::recorded);
  EXPECT_FALSE(check_race_witness(trace, judgement.witness.written_out()));
}

TEST(Judge, SaturationSwapsSectionsOfMiddlingTraces) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "acq 1 m\nwr 1 a\nrel 1 m\nacq 2 m\nrd 2 a\nrel 2 m\n";
  text += "acq 1 l\nwr 1 x\nrel 1 l\nacq 2 l\nrel 2 l\nwr 2 x\n";
  const trace::Trace trace = trace_of(text);
  const Judgement judgement = judge_race(trace, 241, 245);
  EXPECT_EQ(judgement.outcome, JudgeOutcome::witness) << judgement.reason;
  EXPECT_EQ(judgement.step, JudgeStep::saturation);
}

TEST(Judge, SectionsOfLongTracesAreSwappedNearTheRace) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "acq 1 m\nwr 1 a\nrel 1 m\nacq 2 m\nrd 2 a\nrel 2 m\n";
  text += "acq 1 l\nwr 1 x\nrel 1 l\nacq 2 l\nrel 2 l\nwr 2 x\n";
  const trace::Trace trace = trace_of(text);
  const Judgement judgement = judge_race(trace, 24001, 24005);
  EXPECT_EQ(judgement.outcome, JudgeOutcome::witness) << judgement.reason;
  EXPECT_EQ(judgement.step, JudgeStep::saturation);
  EXPECT_GT(judgement.witness.recorded, 23'000u);
  EXPECT_FALSE(check_race_witness(trace, judgement.witness.written_out()));
}

TEST(Judge, GivesUpWhenTheBudgetIsSpent) {
  // Only thread 1 ever holds l, and not before its access: no rule proves that, trying does.
  std::string text = "wr 1 x\nacq 1 l\ntryfail 2 l\nwr 2 x\nrel 1 l\n";
  for (int t = 3; t < 9; ++t) {
    for (int i = 0; i < 3; ++i) {
      text += "acq " + std::to_string(t) + " k\nrel " + std::to_string(t) + " k\n";
    }
  }
  const trace::Trace trace = trace_of(text);
  EXPECT_EQ(judge_race(trace, 0, 3, {.search_steps = 100}).outcome, JudgeOutcome::gave_up);
  EXPECT_EQ(judge_race(trace, 0, 3).outcome, JudgeOutcome::impossible);
}

TEST(Judge, SaturationProvesLongTracesImpossible) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "acq 1 m\nwr 1 a\nrel 1 m\nacq 2 m\nrd 2 a\nrel 2 m\n";
  // Thread 1 holds l at its access, so thread 2's section of l must come before that section; but
  // before it thread 2 reads what thread 1 writes inside.
  text += "wr 3 q\nacq 1 l\nwr 1 y\nwr 1 x\nrel 1 l\nrd 2 y\nacq 2 l\nrel 2 l\nwr 2 x\n";
  const trace::Trace trace = trace_of(text);
  const Judgement judgement = judge_race(trace, 243, 248);
  EXPECT_EQ(judgement.outcome, JudgeOutcome::impossible) << judgement.reason;
  EXPECT_EQ(judgement.step, JudgeStep::saturation);
}

using Pairs = absl::flat_hash_set<std::pair<Position, Position>>;

// Every race of a small trace, by trying every reordering.
class BruteForce {
 public:
  explicit BruteForce(const trace::Trace& trace) : facts_(trace) { extend(); }
  const Pairs& races() const { return races_; }

 private:
  void extend() {
    std::vector<Position> next;
    for (const auto& events : facts_.events_of) {
      auto not_taken = [&](Position p) { return std::ranges::find(order_, p) == order_.end(); };
      auto it = std::ranges::find_if(events, not_taken);
      if (it != events.end()) next.push_back(*it);
    }
    for (Position a : next) {
      for (Position b : next) {
        if (a >= b || !clash(facts_.event(a), facts_.event(b)) || races_.contains({a, b})) continue;
        order_.insert(order_.end(), {a, b});
        if (!check_race_witness(facts_, {0, order_})) races_.insert({a, b});
        order_.resize(order_.size() - 2);
      }
    }
    for (Position p : next) {
      order_.push_back(p);
      if (!check_reordering(facts_, {0, order_})) extend();
      order_.pop_back();
    }
  }

  TraceFacts facts_;
  Interleaving order_;
  Pairs races_;
};

struct Tally {
  int witnesses = 0, impossible = 0;
};

void expect_exact(const std::string& text, const JudgeOptions& options, Tally& tally) {
  const trace::Trace trace = trace_of(text);
  const BruteForce brute(trace);
  const Judge judge(trace, options);
  for (Position a = 0; a < trace.events.size(); ++a) {
    for (Position b = a + 1; b < trace.events.size(); ++b) {
      if (!clash(trace.events[a], trace.events[b])) continue;
      const Judgement judgement = judge.race(a, b);
      const auto expected =
          brute.races().contains({a, b}) ? JudgeOutcome::witness : JudgeOutcome::impossible;
      ASSERT_EQ(word_of(judgement.outcome), word_of(expected))
          << a << " and " << b << ": " << judgement.reason << "\n"
          << text;
      if (expected == JudgeOutcome::witness) {
        ASSERT_FALSE(check_race_witness(trace, judgement.witness.written_out())) << text;
        ++tally.witnesses;
      } else {
        ++tally.impossible;
      }
    }
  }
}

TEST(Judge, IsExactOnRandomSmallTraces) {
  RandomTraces random(2);
  Tally tally;
  for (int i = 0; i < 1500; ++i) {
    expect_exact(random.next(6 + static_cast<size_t>(i) % 4, 2 + i % 2u), {}, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.witnesses, 300);
  EXPECT_GT(tally.impossible, 300);
}

TEST(Judge, IsExactOnSmallTracesWithFourThreads) {
  RandomTraces random(3);
  Tally tally;
  for (int i = 0; i < 300; ++i) {
    expect_exact(random.next(8, 4), {}, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.witnesses, 100);
}

TEST(Judge, BoundedSearchIsExactWhenItsBudgetSuffices) {
  RandomTraces random(4);
  Tally tally;
  for (int i = 0; i < 500; ++i) {
    expect_exact(random.next(8, 3), {.search_steps = 100'000, .exact_up_to = 0}, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.witnesses, 100);
}

}  // namespace
}  // namespace foretell::judge

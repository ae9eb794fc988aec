// SPDX-License-Identifier: Apache-2.0

// Goals of the judge other than races.
#include "judge/goal.h"

#include <thread>

#include "judge/fewer_switches.h"
#include "judge/judge.h"
#include "judge/reordering.h"
#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

// "witness 3 4 0 5", "impossible: reason" or "gave up: reason".
std::string verdict(std::string_view text, const Goal& goal) {
  const Judgement judgement = judge(trace_of(text), goal);
  if (judgement.outcome == JudgeOutcome::impossible) return "impossible: " + judgement.reason;
  if (judgement.outcome == JudgeOutcome::gave_up) return "gave up: " + judgement.reason;
  std::string shown = "witness";
  for (Position p : judgement.witness.written_out()) shown += " " + std::to_string(p);
  return shown;
}

constexpr std::string_view kTwoLocks =
    "acq 1 a acq 1 b rel 1 b rel 1 a acq 2 b acq 2 a rel 2 a rel 2 b";

TEST(DeadlockGoal, LocksTakenInOppositeOrders) {
  EXPECT_EQ(verdict(kTwoLocks, Goal::deadlock({1, 5})), "witness 0 4 1 5");
}

TEST(DeadlockGoal, RequestsHaveBeenMade) {
  EXPECT_EQ(verdict("acq 1 a req 1 b acq 1 b rel 1 b rel 1 a acq 2 b acq 2 a rel 2 a rel 2 b",
                    Goal::deadlock({2, 6})),
            "witness 0 1 5 2 6");
}

TEST(DeadlockGoal, AcquiresThatDoNotWaitForEachOther) {
  EXPECT_EQ(verdict(kTwoLocks, Goal::deadlock({0, 5})),
            "impossible: the threads do not wait for each other in a cycle");
  EXPECT_EQ(verdict(kTwoLocks, Goal::deadlock({2, 5})),
            "impossible: not all of the events may have to wait");
  EXPECT_EQ(verdict(kTwoLocks, Goal::deadlock({0, 1})), "impossible: two events are of one thread");
}

TEST(DeadlockGoal, AGateLockPrevents) {
  EXPECT_TRUE(verdict("acq 1 g acq 1 a acq 1 b rel 1 b rel 1 a rel 1 g "
                      "acq 2 g acq 2 b acq 2 a rel 2 a rel 2 b rel 2 g",
                      Goal::deadlock({2, 8}))
                  .starts_with("impossible"));
}

TEST(DeadlockGoal, ReadersDoNotBlockEachOther) {
  EXPECT_TRUE(verdict("sacq 1 a sacq 1 b srel 1 b srel 1 a sacq 2 b sacq 2 a srel 2 a srel 2 b",
                      Goal::deadlock({1, 5}))
                  .starts_with("impossible"));
}

TEST(DeadlockGoal, ANotifiedWaitBlocksOnItsLock) {
  // Thread 1 waits on c with a, holding b; notified, it wants a again, which thread 2 holds while
  // it wants b.
  EXPECT_EQ(verdict("acq 1 b acq 1 a wait 1 c a notify 2 c wake 1 c a rel 1 a rel 1 b "
                    "acq 2 a acq 2 b rel 2 b rel 2 a",
                    Goal::deadlock({4, 8})),
            "witness 0 1 2 3 7 4 8");
}

TEST(MeetingGoal, EitherAcquireCanComeFirst) {
  EXPECT_EQ(verdict("acq 1 l rel 1 l acq 2 l rel 2 l acq 1 l", Goal::meeting(2, 4)),
            "witness 0 1 2 4");
}

TEST(MeetingGoal, ASectionInBetweenMustEnd) {
  EXPECT_EQ(verdict("acq 3 l wr 3 x rel 3 l rd 1 x acq 1 l rel 1 l acq 2 l", Goal::meeting(4, 6)),
            "witness 0 1 2 3 4 6");
}

TEST(MeetingGoal, NothingOfTheSectionsThemselvesIsNeeded) {
  EXPECT_TRUE(verdict("acq 2 l wr 2 x rel 2 l rd 1 x acq 1 l", Goal::meeting(0, 4))
                  .starts_with("impossible"));
}

TEST(MeetingGoal, SharedAcquiresDoNotMeet) {
  EXPECT_EQ(verdict("sacq 1 l srel 1 l sacq 2 l srel 2 l", Goal::meeting(0, 2)),
            "impossible: the two events are not acquires that exclude each other");
}

TEST(OrderGoal, SectionsChangePlaces) {
  EXPECT_EQ(verdict("acq 1 l rel 1 l acq 2 l rel 2 l", Goal::order({2, 0})), "witness 2 3 0");
}

TEST(OrderGoal, RecordedOrderNeedsNoWork) {
  EXPECT_EQ(verdict("wr 1 x wr 2 x", Goal::order({0, 1})), "witness 0 1");
}

TEST(OrderGoal, AReadKeepsItsWriter) {
  EXPECT_TRUE(verdict("wr 1 x rd 2 x", Goal::order({1, 0})).starts_with("impossible"));
}

TEST(OrderGoal, AnEventIsGivenOnce) {
  EXPECT_EQ(verdict("wr 1 x", Goal::order({0, 0})), "impossible: an event is given twice");
}

TEST(ReadGoal, SeesTheInitialValue) {
  EXPECT_EQ(verdict("wr 1 x rd 2 x", Goal::read_another(1)), "witness 1");
  EXPECT_EQ(verdict("wr 1 x rd 2 x", Goal::read_given(1, kNoPosition)), "witness 1");
}

TEST(ReadGoal, SeesALaterWrite) {
  EXPECT_EQ(verdict("wr 1 x rd 2 x wr 3 x", Goal::read_given(1, 2)), "witness 2 1");
}

TEST(ReadGoal, ALockKeepsTheWrite) {
  EXPECT_TRUE(verdict("acq 1 l wr 1 x rd 1 x rel 1 l acq 2 l wr 2 x rel 2 l", Goal::read_another(2))
                  .starts_with("impossible"));
}

TEST(Checkers, RefuseWhatIsNotTheGoal) {
  const trace::Trace trace = trace_of(kTwoLocks);
  const TraceFacts facts(trace);
  EXPECT_FALSE(check_deadlock_witness(facts, {0, {0, 4, 1, 5}}, 2));
  EXPECT_FALSE(check_deadlock_witness(facts, {1, {4, 1, 5}}, 2));
  EXPECT_TRUE(check_deadlock_witness(facts, {0, {0, 1, 4}}, 2));
  EXPECT_TRUE(check_deadlock_witness(facts, {0, {0, 4, 1}}, 1));
  EXPECT_FALSE(check_order_witness(facts, {4, {4}}, std::vector<Position>{0, 4}));
  EXPECT_TRUE(check_order_witness(facts, {4, {4}}, std::vector<Position>{4, 0}));
  EXPECT_TRUE(check_order_witness(facts, {4, {}}, std::vector<Position>{0, 4}));
  EXPECT_TRUE(check_witness(facts, Goal::deadlock({1, 5}), {0, {0, 4, 5, 1}}));
}

TEST(FewerSwitches, SectionsOfOneLockChangePlacesToJoinRuns) {
  // As recorded 1 2 1 2: the sections of l are independent of each other, if not for the lock.
  EXPECT_EQ(verdict("acq 1 l rel 1 l acq 2 l rel 2 l acq 1 l rel 1 l acq 2 l rel 2 l wr 1 x wr 2 x",
                    Goal::race(8, 9)),
            "witness 0 1 4 5 2 3 6 7 8 9");
}

TEST(Judge, AnswersSeveralThreadsAtOnce) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "acq 1 m\nwr 1 a\nrel 1 m\nacq 2 m\nrd 2 a\nrel 2 m\nwr 1 x\nwr 2 x\n";
  const trace::Trace trace = trace_of(text);
  const Judge judge(trace);
  auto answers = [&] {
    std::vector<Reordering> witnesses;
    for (Position p = 6; p + 9 < trace.events.size(); p += 8) {
      witnesses.push_back(judge.race(p, p + 9).witness);
    }
    return witnesses;
  };
  const auto alone = answers();
  std::vector<std::vector<Reordering>> together(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : together) threads.emplace_back([&] { mine = answers(); });
  }
  for (const auto& mine : together) EXPECT_EQ(mine, alone);
}

}  // namespace
}  // namespace foretell::judge

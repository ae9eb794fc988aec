// SPDX-License-Identifier: Apache-2.0

// One test per row of the table in docs/semantics.md: enabled, and not enabled with its reason.
#include "judge/machine.h"

#include "judge/reordering.h"
#include "unit/judge/traces.h"

namespace foretell::judge {
namespace {

// Executes `order` on the trace; the reason why its last event is not enabled, or "ok".
std::string last_of(std::string_view text, Interleaving order) {
  const trace::Trace trace = trace_of(text);
  const TraceFacts facts(trace);
  Machine machine(facts);
  for (size_t i = 0; i < order.size(); ++i) {
    if (auto reason = machine.why_not(order[i])) {
      EXPECT_EQ(i + 1, order.size()) << "too early: " << *reason;
      return reason->substr(reason->find(": ") + 2);
    }
    machine.apply(order[i]);
  }
  return "ok";
}

TEST(Machine, ThreadsRunInProgramOrder) {
  EXPECT_EQ(last_of("wr 1 x wr 1 y", {0, 1}), "ok");
  const trace::Trace trace = trace_of("wr 1 x wr 1 y");
  const TraceFacts facts(trace);
  EXPECT_EQ(*Machine(facts).why_not(1),
            "event 1 (wr of thread 1) is not the next event of its thread");
}

TEST(Machine, ForkedThreadNeedsItsFork) {
  EXPECT_EQ(last_of("fork 1 2 wr 2 x", {0, 1}), "ok");
  EXPECT_EQ(last_of("fork 1 2 wr 2 x", {1}), "its thread has not been forked");
}

TEST(Machine, ReadKeepsItsWriter) {
  EXPECT_EQ(last_of("wr 1 x rd 2 x", {0, 1}), "ok");
  EXPECT_EQ(last_of("wr 1 x rd 2 x", {1}), "it would read from another write");
  EXPECT_EQ(last_of("rd 2 x wr 1 x", {1, 0}), "it would read from another write");
  EXPECT_EQ(last_of("wr 1 x rd 2 x wr 3 x", {0, 2, 1}), "it would read from another write");
}

TEST(Machine, AtomicReadAndReadModifyWriteKeepTheirWriter) {
  EXPECT_EQ(last_of("rmw 1 x rmw 2 x ard 3 x", {0, 1, 2}), "ok");
  EXPECT_EQ(last_of("rmw 1 x rmw 2 x", {1}), "it would read from another write");
  EXPECT_EQ(last_of("awr 1 x ard 2 x", {1}), "it would read from another write");
}

TEST(Machine, AccessNeedsTheAllocation) {
  EXPECT_EQ(last_of("alloc 1 h wr 2 h", {0, 1}), "ok");
  EXPECT_EQ(last_of("alloc 1 h wr 2 h", {1}), "its location has not been allocated");
}

TEST(Machine, AccessNeedsTheSameFrees) {
  EXPECT_EQ(last_of("wr 1 h free 2 h", {1}), "ok");
  EXPECT_EQ(last_of("wr 1 h free 2 h", {1, 0}), "not the same frees of its location have happened");
  EXPECT_EQ(last_of("free 2 h wr 1 h", {1}), "not the same frees of its location have happened");
}

TEST(Machine, ExclusiveAcquireNeedsAFreeLock) {
  EXPECT_EQ(last_of("acq 1 l rel 1 l acq 2 l", {2}), "ok");
  EXPECT_EQ(last_of("acq 1 l rel 1 l acq 2 l", {0, 2}), "the lock is held");
  EXPECT_EQ(last_of("sacq 1 l srel 1 l acq 2 l", {0, 2}), "the lock is held");
}

TEST(Machine, SharedAcquireExcludesOnlyExclusiveHolders) {
  EXPECT_EQ(last_of("sacq 1 l sacq 2 l", {0, 1}), "ok");
  EXPECT_EQ(last_of("acq 1 l rel 1 l sacq 2 l", {0, 2}), "the lock is held exclusively");
}

TEST(Machine, RequestsNeverBlock) {
  EXPECT_EQ(last_of("acq 1 l req 2 l sreq 2 l", {0, 1, 2}), "ok");
}

TEST(Machine, FailedTryNeedsAHolder) {
  EXPECT_EQ(last_of("sacq 1 l tryfail 2 l", {0, 1}), "ok");
  EXPECT_EQ(last_of("sacq 1 l tryfail 2 l", {1}), "nobody holds the lock");
  EXPECT_EQ(last_of("acq 1 l tryfail 1 l", {0, 1}), "ok");
}

TEST(Machine, FailedSharedTryNeedsAnExclusiveHolder) {
  const char* text = "sacq 3 l srel 3 l acq 1 l stryfail 2 l";
  EXPECT_EQ(last_of(text, {2, 3}), "ok");
  EXPECT_EQ(last_of(text, {0, 3}), "nobody holds the lock exclusively");
}

TEST(Machine, JoinNeedsTheWholeThread) {
  EXPECT_EQ(last_of("fork 1 2 wr 2 x join 3 2", {0, 1, 2}), "ok");
  EXPECT_EQ(last_of("fork 1 2 wr 2 x join 3 2", {0, 2}), "the other thread has not finished");
  EXPECT_EQ(last_of("fork 1 2 join 3 2", {1}), "the other thread has not been forked");
}

TEST(Machine, WaitReleasesTheLock) {
  EXPECT_EQ(last_of("acq 1 l wait 1 c l acq 2 l", {0, 1, 2}), "ok");
}

TEST(Machine, WakeNeedsItsNotifyAndTheLock) {
  const char* text = "acq 1 l wait 1 c l acq 2 l notify 2 c rel 2 l wake 1 c l";
  EXPECT_EQ(last_of(text, {0, 1, 2, 3, 4, 5}), "ok");
  EXPECT_EQ(last_of(text, {0, 1, 2, 3, 5}), "the lock is held");
  EXPECT_EQ(last_of(text, {0, 1, 5}), "it has not been notified");
  // A notify before the wait began is lost.
  EXPECT_EQ(last_of(text, {2, 3, 4, 0, 1, 5}), "it has not been notified");
}

TEST(Machine, SpuriousWakeNeedsOnlyTheLock) {
  const char* text = "acq 1 l wait 1 c l acq 2 l rel 2 l wake 1 c l spurious";
  EXPECT_EQ(last_of(text, {0, 1, 4}), "ok");
  EXPECT_EQ(last_of(text, {0, 1, 2, 4}), "the lock is held");
}

constexpr const char* kTwoWaiters =
    "acq 1 l wait 1 c l acq 2 l wait 2 c l "    // 0-3
    "notify 3 c wake 1 c l rel 1 l "            // 4-6
    "notify 3 c wake 2 c l rel 2 l notify 3 c"  // 7-10
    ;

TEST(Machine, NotifyNeedsItsOwnWaiterIfAnybodyWaits) {
  EXPECT_EQ(last_of(kTwoWaiters, {0, 1, 4}), "ok");
  EXPECT_EQ(last_of(kTwoWaiters, {0, 1, 2, 3, 4}), "ok");
  EXPECT_EQ(last_of(kTwoWaiters, {4}), "ok");
  EXPECT_EQ(last_of(kTwoWaiters, {2, 3, 4}), "it would wake another waiter");
}

TEST(Machine, NotifyThatServedNobodyNeedsThatNobodyWaits) {
  EXPECT_EQ(last_of(kTwoWaiters, {4, 7, 10}), "ok");
  EXPECT_EQ(last_of(kTwoWaiters, {4, 7, 0, 1, 10}), "it would wake a waiter it did not find");
}

TEST(Machine, NotifyThatFoundAWaiterButServedNoneMayFindOneAgain) {
  // The trace ends before the wake.
  EXPECT_EQ(last_of("acq 1 l wait 1 c l notify 2 c", {0, 1, 2}), "ok");
}

TEST(Machine, NotifyAllWakesOnlyWaitersItFound) {
  const char* text =
      "acq 1 l wait 1 c l notifyall 3 c wake 1 c l rel 1 l "  // 0-4
      "acq 2 l wait 2 c l notifyall 3 c wake 2 c l";          // 5-8
  EXPECT_EQ(last_of(text, {0, 1, 2}), "ok");
  EXPECT_EQ(last_of(text, {2}), "ok");
  EXPECT_EQ(last_of(text, {5, 6, 2}), "it would wake a waiter it did not find");
}

TEST(Machine, NotifyAllMayReachAWaiterThatNeverWakes) {
  EXPECT_EQ(last_of("notifyall 3 c acq 2 l wait 2 c l", {1, 2, 0}), "ok");
}

TEST(Machine, NotifyAllMayFindAWaiterThatTimesOut) {
  EXPECT_EQ(last_of("acq 1 l wait 1 c l notifyall 2 c wake 1 c l spurious", {0, 1, 2, 3}), "ok");
}

constexpr const char* kBarrier = "enter 1 b enter 2 b leave 1 b enter 1 b leave 2 b";

TEST(Machine, LeavingABarrierNeedsAllEnters) {
  EXPECT_EQ(last_of(kBarrier, {1, 0, 4}), "ok");
  EXPECT_EQ(last_of(kBarrier, {0, 2}), "not every thread has entered the barrier");
}

TEST(Machine, NextGenerationNeedsTheLastOne) {
  EXPECT_EQ(last_of(kBarrier, {0, 1, 2, 3}), "ok");
  EXPECT_EQ(last_of("enter 1 b leave 1 b enter 2 b", {2}),
            "the barrier's last generation is not complete");
}

TEST(Machine, DownNeedsItsPost) {
  EXPECT_EQ(last_of("post 1 s down 2 s", {0, 1}), "ok");
  EXPECT_EQ(last_of("post 1 s down 2 s", {1}), "the post that served it has not happened");
  EXPECT_EQ(last_of("down 2 s initial post 1 s", {0}), "ok");
}

TEST(Machine, TheRestIsAlwaysEnabled) {
  EXPECT_EQ(last_of("start 1 call 1 f beg 1 a fence 1 branch 1 alloc 1 h user 1 u\nend 1 a "
                    "ret 1 f exit 1",
                    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
            "ok");
}

TEST(Machine, UndoTakesBackEveryEvent) {
  RandomTraces random(7);
  for (int i = 0; i < 300; ++i) {
    const std::string text = random.next(14, 3);
    const trace::Trace trace = trace_of(text);
    const TraceFacts facts(trace);
    Machine machine(facts);
    std::vector<Machine::Effect> effects;
    for (Position p = 0; p < facts.size(); ++p) effects.push_back(machine.apply(p));
    while (!effects.empty()) {
      const auto p = static_cast<Position>(effects.size() - 1);
      machine.undo(p, effects.back());
      effects.pop_back();
      ASSERT_FALSE(machine.why_not(p)) << text;
    }
    // Back at the start it behaves like a new one.
    for (Position p = 0; p < facts.size(); ++p) {
      ASSERT_FALSE(machine.why_not(p)) << text;
      machine.apply(p);
    }
  }
}

}  // namespace
}  // namespace foretell::judge

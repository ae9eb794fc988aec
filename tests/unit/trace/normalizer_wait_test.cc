// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "unit/trace/normalized.h"

namespace foretell::trace {
namespace {

// Threads 1 .. count each hold m once and wait on c.
std::string waiting(int count) {
  std::string text;
  for (int t = 1; t <= count; ++t) text += fmt::format("acq {} m\nwait {} c m\n", t, t);
  return text;
}

// The last line of what the normalizer makes of it.
std::string last(std::string_view text) {
  std::string out = normalized(text);
  if (!out.empty()) out.pop_back();
  return out.substr(out.rfind('\n') + 1);
}

TEST(WaitRules, WaitWithoutTheLock) {
  EXPECT_EQ(refusal("wait 1 c m"), "event 0: thread 1 waits on condition c without holding lock m");
  EXPECT_EQ(refusal("acq 2 m\nwait 1 c m"),
            "event 1: thread 1 waits on condition c without holding lock m");
  EXPECT_EQ(refusal("acq 1 m\nwait 1 c m"), "");
}

TEST(WaitRules, ActingWhileWaiting) {
  EXPECT_EQ(refusal(waiting(1) + "rd 1 x"), "event 2: thread 1 acts while it waits on condition c");
  EXPECT_EQ(refusal(waiting(1) + "wake 1 c m\nrd 1 x"), "");
}

TEST(WaitRules, WakeWithoutWait) {
  EXPECT_EQ(refusal("acq 1 m\nwake 1 c m"),
            "event 1: thread 1 wakes from condition c, on which it does not wait");
}

TEST(WaitRules, WakeFromAnotherCondition) {
  EXPECT_EQ(refusal(waiting(1) + "wake 1 d m"),
            "event 2: thread 1 wakes from condition d, on which it does not wait");
}

TEST(WaitRules, WakeWithAnotherLock) {
  EXPECT_EQ(refusal(waiting(1) + "wake 1 c k"),
            "event 2: thread 1 wakes from condition c with lock k, but it waited with lock m");
}

TEST(WaitRules, WakeTakesTheLock) {
  EXPECT_EQ(refusal(waiting(1) + "acq 2 m\nwake 1 c m"),
            "event 3: thread 1 wakes from condition c and takes lock m, which thread 2 holds");
  EXPECT_EQ(refusal(waiting(1) + "sacq 2 m\nwake 1 c m"),
            "event 3: thread 1 wakes from condition c and takes lock m, which thread 2 holds");
  EXPECT_EQ(refusal(waiting(1) + "acq 2 m\nrel 2 m\nwake 1 c m"), "");
}

TEST(WaitRules, WaitGivesTheLockUpAndWakeTakesItBack) {
  EXPECT_EQ(refusal(waiting(1) + "acq 2 m\nrel 2 m\nwake 1 c m\nacq 2 m"),
            "event 5: thread 2 acquires lock m, which thread 1 holds");
}

TEST(WaitRules, TicketStillInUse) {
  EXPECT_EQ(refusal(waiting(1) + "notify 2 c #7\nnotify 2 c #7"),
            "event 3: thread 2 notifies condition c with ticket #7, which is still in use");
  EXPECT_EQ(refusal(waiting(1) + "notify 2 c #7\nwake 1 c m #7\nnotify 2 c #7"), "");
}

TEST(WaitRules, WakeByATicketNobodyLeft) {
  EXPECT_EQ(refusal(waiting(1) + "notify 2 c #7\nwake 1 c m #8"),
            "event 3: thread 1 wakes from condition c by ticket #8, which no notify since the wait "
            "began has left");
}

TEST(WaitRules, ANotifyBeforeTheWaitServesNothing) {
  EXPECT_EQ(refusal("notify 2 c #7\n" + waiting(1) + "wake 1 c m #7"),
            "event 3: thread 1 wakes from condition c by ticket #7, which no notify since the wait "
            "began has left");
}

TEST(WaitRules, ATicketIsTooOldForALaterWait) {
  EXPECT_EQ(refusal(waiting(1) + "notify 9 c #7\nacq 2 m\nwait 2 c m\nwake 2 c m #7"),
            "event 5: thread 2 wakes from condition c by ticket #7, which no notify since the wait "
            "began has left");
}

TEST(WaitRules, NotifyOneServesOne) {
  EXPECT_EQ(refusal(waiting(2) + "notify 9 c #7\nwake 1 c m #7\nrel 1 m\nwake 2 c m #7"),
            "event 7: thread 2 wakes from condition c by ticket #7, which no notify since the wait "
            "began has left");
}

TEST(WaitPartners, ByTicket) {
  EXPECT_EQ(last(waiting(1) + "notify 9 c #1\nnotify 9 c #2\nwake 1 c m #2"), "4 wake 1 c by 3");
}

TEST(WaitPartners, TheEarliestNotifyOfTheWait) {
  EXPECT_EQ(last("notify 9 c\n" + waiting(1) + "notify 9 c\nnotify 9 c\nwake 1 c m"),
            "5 wake 1 c by 3");
}

TEST(WaitPartners, NoNotifyIsASpuriousWakeUp) {
  EXPECT_EQ(last(waiting(1) + "wake 1 c m"), "2 wake 1 c by none");
}

TEST(WaitPartners, SaidToBeSpuriousLeavesTheNotifyToOthers) {
  EXPECT_EQ(normalized(waiting(2) + "notify 9 c\nwake 1 c m spurious\nrel 1 m\nwake 2 c m"),
            "0 acq 1 m\n1 wait 1 c\n2 acq 2 m\n3 wait 2 c\n4 notify 9 c\n5 wake 1 c by none\n"
            "6 rel 1 m\n7 wake 2 c by 4\n");
}

TEST(WaitPartners, NotifiesServeInTurn) {
  EXPECT_EQ(last(waiting(2) + "notify 9 c\nnotify 9 c\nwake 2 c m\nrel 2 m\nwake 1 c m"),
            "8 wake 1 c by 5");
}

TEST(WaitPartners, NotifyAllServesEveryWaiterItFound) {
  EXPECT_EQ(last(waiting(2) + "notifyall 9 c\nwake 2 c m\nrel 2 m\nwake 1 c m"), "7 wake 1 c by 4");
}

TEST(WaitPartners, NotifyAllServesNoLaterWait) {
  EXPECT_EQ(last(waiting(1) + "notifyall 9 c\nacq 2 m\nwait 2 c m\nwake 2 c m"),
            "5 wake 2 c by none");
}

TEST(WaitPartners, ConditionsDoNotMix) {
  EXPECT_EQ(last(waiting(1) + "notify 9 d\nwake 1 c m"), "3 wake 1 c by none");
}

TEST(WaitPartners, AFinishedWaitLeavesNoNotifyBehind) {
  EXPECT_EQ(last(waiting(1) + "notify 9 c\nnotify 9 c\nwake 1 c m\nwait 1 c m\nwake 1 c m"),
            "6 wake 1 c by none");
}

TEST(WaitPartners, AManyTimesNotifiedWaiterIsNoBurden) {
  std::string text = waiting(1);
  for (int i = 0; i < 50000; ++i) text += fmt::format("notify 9 c #{}\n", i);
  EXPECT_EQ(last(text + "wake 1 c m #49999"), "50002 wake 1 c by 50001");
}

TEST(OpenPrefix, WaitsMayStayOpen) {
  EXPECT_EQ(refusal(waiting(2) + "notify 9 c"), "");
}

}  // namespace
}  // namespace foretell::trace

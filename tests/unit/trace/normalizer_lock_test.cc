// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "unit/trace/normalized.h"

namespace foretell::trace {
namespace {

TEST(LockRules, AcquireOfAHeldLock) {
  EXPECT_EQ(refusal("acq 1 m\nacq 2 m"), "event 1: thread 2 acquires lock m, which thread 1 holds");
  EXPECT_EQ(refusal("acq 1 m\nrel 1 m\nacq 2 m"), "");
}

TEST(LockRules, AcquireOfALockHeldInSharedMode) {
  EXPECT_EQ(refusal("sacq 1 m\nacq 2 m"),
            "event 1: thread 2 acquires lock m, which thread 1 holds in shared mode");
  EXPECT_EQ(refusal("sacq 1 m\nsrel 1 m\nacq 2 m"), "");
}

TEST(LockRules, SharedAcquireCannotBeUpgraded) {
  EXPECT_EQ(refusal("sacq 1 m\nacq 1 m"),
            "event 1: thread 1 acquires lock m, which thread 1 holds in shared mode");
}

TEST(LockRules, SharedAcquireOfALockHeldExclusively) {
  EXPECT_EQ(refusal("acq 1 m\nsacq 2 m"),
            "event 1: thread 2 acquires lock m in shared mode, but thread 1 holds it exclusively");
  EXPECT_EQ(refusal("sacq 1 m\nsacq 2 m"), "");
}

TEST(LockRules, ReleaseOfALockNobodyHolds) {
  EXPECT_EQ(refusal("rel 1 m"), "event 0: thread 1 releases lock m, which nobody holds");
  EXPECT_EQ(refusal("acq 1 m\nrel 1 m\nrel 1 m"),
            "event 2: thread 1 releases lock m, which nobody holds");
  EXPECT_EQ(refusal("acq 1 m\nrel 1 m"), "");
}

TEST(LockRules, ExclusiveReleaseOfALockHeldInSharedMode) {
  EXPECT_EQ(refusal("sacq 1 m\nrel 1 m"),
            "event 1: thread 1 releases lock m, which nobody holds exclusively");
}

TEST(LockRules, ReleaseOfAnotherThreadsLock) {
  EXPECT_EQ(refusal("acq 1 m\nrel 2 m"), "event 1: thread 2 releases lock m, which thread 1 holds");
}

TEST(LockRules, SharedReleaseWithoutSharedAcquire) {
  const std::string without = "releases lock m in shared mode without holding it so";
  EXPECT_EQ(refusal("srel 1 m"), "event 0: thread 1 " + without);
  EXPECT_EQ(refusal("acq 1 m\nsrel 1 m"), "event 1: thread 1 " + without);
  EXPECT_EQ(refusal("sacq 1 m\nsrel 2 m"), "event 1: thread 2 " + without);
  EXPECT_EQ(refusal("sacq 1 m\nsrel 1 m"), "");
}

TEST(LockRules, FailedTryOfAFreeLock) {
  EXPECT_EQ(refusal("tryfail 1 m"), "event 0: thread 1 fails to acquire lock m, which is free");
  EXPECT_EQ(refusal("acq 1 m\ntryfail 2 m"), "");
  EXPECT_EQ(refusal("acq 1 m\ntryfail 1 m"), "");
  EXPECT_EQ(refusal("sacq 1 m\ntryfail 2 m"), "");
}

TEST(LockRules, FailedSharedTryNeedsAnExclusiveHolder) {
  EXPECT_EQ(refusal("sacq 1 m\nstryfail 2 m"),
            "event 1: thread 2 fails to acquire lock m, which is free");
  EXPECT_EQ(refusal("acq 1 m\nstryfail 2 m"), "");
}

TEST(LockFolding, OnlyTheOutermostPairRemains) {
  EXPECT_EQ(normalized("acq 1 m\nacq 1 m\nrd 1 x\nrel 1 m\nwr 1 x\nrel 1 m"),
            "0 acq 1 m\n2 rd 1 x\n4 wr 1 x\n5 rel 1 m\n");
}

TEST(LockFolding, OnlyTheOutermostSharedPairRemains) {
  EXPECT_EQ(normalized("sacq 1 m\nsacq 2 m\nsacq 1 m\nsrel 1 m\nsrel 2 m\nsrel 1 m"),
            "0 sacq 1 m\n1 sacq 2 m\n4 srel 2 m\n5 srel 1 m\n");
}

TEST(LockFolding, ARequestInsideGoesToo) {
  EXPECT_EQ(normalized("req 1 m\nacq 1 m\nreq 1 m\nacq 1 m\nrel 1 m\nrel 1 m"),
            "0 req 1 m\n1 acq 1 m\n5 rel 1 m\n");
  EXPECT_EQ(normalized("sreq 1 m\nsacq 1 m\nsreq 1 m\nsacq 1 m"), "0 sreq 1 m\n1 sacq 1 m\n");
}

TEST(LockFolding, ARequestThatMayBlockStays) {
  EXPECT_EQ(normalized("acq 1 m\nreq 2 m\nsreq 2 m"), "0 acq 1 m\n1 req 2 m\n2 sreq 2 m\n");
  EXPECT_EQ(normalized("sacq 1 m\nreq 1 m"), "0 sacq 1 m\n1 req 1 m\n");
}

TEST(LockFolding, DepthSurvivesAWait) {
  EXPECT_EQ(normalized("acq 1 m\nacq 1 m\nwait 1 c m\nacq 2 m\nrel 2 m\nwake 1 c m\nrel 1 m\n"
                       "acq 1 m\nrel 1 m\nrel 1 m"),
            "0 acq 1 m\n2 wait 1 c\n3 acq 2 m\n4 rel 2 m\n5 wake 1 c by none\n9 rel 1 m\n");
}

TEST(LockFolding, OneReleaseTooManyAfterAWait) {
  EXPECT_EQ(refusal("acq 1 m\nwait 1 c m\nwake 1 c m\nrel 1 m\nrel 1 m"),
            "event 4: thread 1 releases lock m, which nobody holds");
}

TEST(OpenPrefix, CriticalSectionsMayStayOpen) {
  EXPECT_EQ(refusal("acq 1 m\nsacq 2 k\nreq 3 m"), "");
}

TEST(Messages, LongNamesAreCut) {
  const std::string name(1000, 'n');
  EXPECT_EQ(refusal("rel 1 " + name),
            "event 0: thread 1 releases lock " + std::string(60, 'n') + "..., which nobody holds");
}

}  // namespace
}  // namespace foretell::trace

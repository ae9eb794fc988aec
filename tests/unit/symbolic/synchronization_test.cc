// SPDX-License-Identifier: Apache-2.0

// Models of pthreads: who may go on, and which edges are left.

#include "symbolic/models/synchronization.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace foretell::symbolic {
namespace {

class SynchronizationTest : public testing::Test {
 protected:
  SynchronizationTest() {
    object_ = memory_.add({.name = "m", .size = 64});
    model_.add_thread({});
    model_.perform(0, {.kind = SyncKind::pthread_create});
    model_.perform(0, {.kind = SyncKind::pthread_create});
  }
  SyncRequest on(SyncKind kind, uint64_t offset = 0, uint64_t number = 0) const {
    return {.kind = kind, .objects = {{object_, offset}}, .number = number};
  }
  const Node& last(uint32_t thread) const { return model_.nodes()[thread].back(); }

  smt::ExprContext context_;
  Memory memory_{context_};
  ObjectNumber object_{};
  Synchronization model_{memory_};
};

TEST_F(SynchronizationTest, AMutexIsTakenAfterItWasReleased) {
  model_.perform(1, on(SyncKind::pthread_mutex_lock));
  EXPECT_FALSE(model_.is_ready(2, on(SyncKind::pthread_mutex_lock)));
  EXPECT_TRUE(model_.is_ready(2, on(SyncKind::pthread_mutex_lock, 8)));
  EXPECT_EQ(model_.perform(2, on(SyncKind::pthread_mutex_trylock)).result, EBUSY);
  model_.perform(1, on(SyncKind::pthread_mutex_unlock));
  // The failed try came before.
  EXPECT_EQ(last(1).after, (std::vector<NodePlace>{{2, 0}}));
  EXPECT_TRUE(model_.is_ready(2, on(SyncKind::pthread_mutex_lock)));
  model_.perform(2, on(SyncKind::pthread_mutex_lock));
  EXPECT_EQ(last(2).after, (std::vector<NodePlace>{{1, 1}}));
}

TEST_F(SynchronizationTest, UnlockingWhatIsNotHeldIsAnError) {
  EXPECT_EQ(model_.perform(1, on(SyncKind::pthread_mutex_unlock)).error,
            "m is unlocked, but not held");
}

TEST_F(SynchronizationTest, ABarrierLetsGoWhenAllHaveArrived) {
  model_.perform(0, on(SyncKind::pthread_barrier_init, 0, 2));
  SyncRequest wait = on(SyncKind::pthread_barrier_wait);
  EXPECT_TRUE(model_.perform(1, wait).is_asleep);
  SyncRequest leave = wait;
  leave.is_awake_part = true;
  EXPECT_FALSE(model_.is_ready(1, leave));
  model_.perform(2, wait);
  EXPECT_TRUE(model_.is_ready(1, leave));
  EXPECT_EQ(model_.perform(1, leave).result, 0);
  EXPECT_EQ(model_.perform(2, leave).result, -1);
  EXPECT_EQ(last(2).after, (std::vector<NodePlace>{{1, 0}, {2, 0}}));
}

TEST_F(SynchronizationTest, ASignalWakesWhoWaitsLongest) {
  SyncRequest wait{.kind = SyncKind::pthread_cond_wait, .objects = {{object_, 0}, {object_, 8}}};
  for (uint32_t thread : {1u, 2u}) {
    model_.perform(thread, on(SyncKind::pthread_mutex_lock, 8));
    EXPECT_TRUE(model_.perform(thread, wait).is_asleep);
  }
  SyncRequest wake = wait;
  wake.is_awake_part = true;
  model_.perform(0, on(SyncKind::pthread_cond_signal));
  EXPECT_TRUE(model_.is_ready(1, wake));
  EXPECT_FALSE(model_.is_ready(2, wake));
}

TEST_F(SynchronizationTest, ASemaphoreCounts) {
  EXPECT_FALSE(model_.perform(1, on(SyncKind::sem_post)).error.empty());
  model_.perform(0, on(SyncKind::sem_init, 0, 1));
  EXPECT_TRUE(model_.is_ready(1, on(SyncKind::sem_wait)));
  model_.perform(1, on(SyncKind::sem_wait));
  EXPECT_FALSE(model_.is_ready(2, on(SyncKind::sem_wait)));
  EXPECT_EQ(model_.perform(2, on(SyncKind::sem_trywait)).result, -1);
}

TEST_F(SynchronizationTest, AJoinComesAfterTheExit) {
  const SyncRequest join{.kind = SyncKind::pthread_join, .number = 1};
  EXPECT_FALSE(model_.is_ready(0, join));
  model_.perform(1, {.kind = SyncKind::thread_return});
  EXPECT_TRUE(model_.is_ready(0, join));
  model_.perform(0, join);
  EXPECT_EQ(last(0).after, (std::vector<NodePlace>{{1, 0}}));
}

}  // namespace
}  // namespace foretell::symbolic

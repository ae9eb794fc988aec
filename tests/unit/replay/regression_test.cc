// SPDX-License-Identifier: Apache-2.0

#include "replay/regression.h"

#include <gtest/gtest.h>

namespace foretell::replay {
namespace {

finding::DescribedEvent event(std::string thread, std::string operation, std::string object,
                              std::vector<finding::HeldLock> locks = {}) {
  return {.thread = std::move(thread),
          .operation = finding::operation_named(operation).value(),
          .object = std::move(object),
          .site = "a.cc:3:1",
          .function = "f",
          .expression = "p->x",
          .locks = std::move(locks)};
}

TEST(KnownBug, IsTheSameAfterLinesMoved) {
  finding::Finding f{.id = "race-1", .details = finding::RaceFinding{"p->x"}};
  f.events = {event("T0", "wr", "p->x"), event("T1", "rd", "p->x")};
  finding::Finding moved = f;
  moved.id = "race-7";
  std::swap(moved.events[0], moved.events[1]);
  for (finding::DescribedEvent& e : moved.events) e.site = "a.cc:90:1";
  EXPECT_TRUE(bug_of(f).is(moved));
  moved.events[0].expression = "q->y";
  EXPECT_FALSE(bug_of(f).is(moved));
}

TEST(KnownBug, IsThereIfItKeepsOthersFromGoingOn) {
  finding::Finding f{.id = "deadlock-1", .details = finding::DeadlockFinding{}};
  f.events = {event("T1", "wake", "c")};
  finding::Finding hang = f;
  hang.events.push_back(event("T0", "join", "T1"));
  EXPECT_TRUE(bug_of(f).is(hang));
  EXPECT_FALSE(bug_of(hang).is(f));
}

}  // namespace
}  // namespace foretell::replay

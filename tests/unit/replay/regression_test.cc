// SPDX-License-Identifier: Apache-2.0

#include "replay/regression.h"

#include <gtest/gtest.h>

namespace foretell {
namespace {

DescribedEvent event(std::string thread, std::string operation, std::string object,
                     std::vector<HeldLock> locks = {}) {
  return {.thread = std::move(thread),
          .operation = operation_named(operation).value(),
          .object = std::move(object),
          .site = "a.cc:3:1",
          .function = "f",
          .expression = "p->x",
          .locks = std::move(locks)};
}

TEST(KnownBug, IsTheSameAfterLinesMoved) {
  Finding f{.id = "race-1", .details = RaceFinding{"p->x"}};
  f.events = {event("T0", "wr", "p->x"), event("T1", "rd", "p->x")};
  Finding moved = f;
  moved.id = "race-7";
  std::swap(moved.events[0], moved.events[1]);
  for (DescribedEvent& e : moved.events) e.site = "a.cc:90:1";
  EXPECT_TRUE(bug_of(f).is(moved));
  moved.events[0].expression = "q->y";
  EXPECT_FALSE(bug_of(f).is(moved));
}

TEST(KnownBug, IsThereIfItKeepsOthersFromGoingOn) {
  Finding f{.id = "deadlock-1", .details = DeadlockFinding{}};
  f.events = {event("T1", "wake", "c")};
  Finding hang = f;
  hang.events.push_back(event("T0", "join", "T1"));
  EXPECT_TRUE(bug_of(f).is(hang));
  EXPECT_FALSE(bug_of(hang).is(f));
}

}  // namespace
}  // namespace foretell

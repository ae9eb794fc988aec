// SPDX-License-Identifier: Apache-2.0

#include "replay/deadlock.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::replay {
namespace {

finding::Finding deadlock_of(std::string_view text) {
  return *describe_deadlock(*trace::make_tiddle_reader(InputFile::from_memory(text)));
}

std::string threads_of(const finding::Finding& finding) {
  std::string text;
  for (const finding::DescribedEvent& e : finding.events) {
    text += fmt::format("{} waits for {} at {} holding", e.thread, e.object, e.site);
    for (const finding::HeldLock& held : e.locks)
      text += fmt::format(" {} ({})", held.name, held.site);
    text += '\n';
  }
  return text;
}

TEST(Deadlock, NamesTheCycle) {
  const finding::Finding finding = deadlock_of(
      "req a x @d.c:1\nacq a x @d.c:1\nreq b y @d.c:5\nacq b y @d.c:5\nreq a y @d.c:2\n"
      "req b x @d.c:6\n");
  EXPECT_TRUE(finding.as<finding::DeadlockFinding>()->is_cycle);
  EXPECT_EQ(finding.name(), "y -> x");
  EXPECT_EQ(threads_of(finding),
            "a waits for y at d.c:2 holding x (d.c:1)\nb waits for x at d.c:6 holding y (d.c:5)\n");
  EXPECT_EQ(finding.witness->prefix_end, 6u);
}

TEST(Deadlock, OfAThreadWithItself) {
  const finding::Finding finding = deadlock_of("acq a x\nwr b z\nreq a x\n");
  EXPECT_TRUE(finding.as<finding::DeadlockFinding>()->is_cycle);
  ASSERT_EQ(finding.events.size(), 1u);
  EXPECT_EQ(finding.events[0].thread, "a");
}

TEST(Deadlock, LeavesOutWhoOnlyWaitsForTheCycle) {
  const finding::Finding finding = deadlock_of("acq a x\nacq b y\nreq c x\nreq a y\nreq b x\n");
  EXPECT_EQ(finding.events.size(), 2u);
}

TEST(Deadlock, AReaderDoesNotWaitForAReader) {
  EXPECT_FALSE(deadlock_of("sacq a x\nacq b y\nreq a y\nsreq b x\n")
                   .as<finding::DeadlockFinding>()
                   ->is_cycle);
  EXPECT_TRUE(deadlock_of("sacq a x\nacq b y\nreq a y\nreq b x\n")
                  .as<finding::DeadlockFinding>()
                  ->is_cycle);
}

TEST(Deadlock, WithoutACycleNamesAllWhoAreStuck) {
  const finding::Finding finding =
      deadlock_of("fork m a\nfork m b\nacq a x\nwait a c x @w.c:3\nexit b\njoin m b @w.c:9\n");
  EXPECT_FALSE(finding.as<finding::DeadlockFinding>()->is_cycle);
  ASSERT_EQ(finding.events.size(), 2u);
  EXPECT_EQ(finding.events[1].object, "c");
  EXPECT_EQ(finding.events[1].site, "w.c:3");
}

}  // namespace
}  // namespace foretell::replay

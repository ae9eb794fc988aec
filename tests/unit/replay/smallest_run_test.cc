// SPDX-License-Identifier: Apache-2.0

#include "replay/smallest_run.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell::replay {
namespace {

finding::DescribedEvent described_event(std::string thread, std::string operation,
                                        std::string object,
                                        std::vector<finding::HeldLock> locks = {}) {
  return {.thread = std::move(thread),
          .operation = finding::operation_named(operation).value(),
          .object = std::move(object),
          .site = "a.cc:3:1",
          .locks = std::move(locks)};
}

// Without the sites; empty if it is no Tiddle.
std::string run_of(const finding::Finding& f) {
  std::string text = smallest_run(f).value_or("");
  if (!trace::parse_tiddle(text)) return "";
  for (size_t at = text.find(" @"); at != text.npos; at = text.find(" @")) {
    text.erase(at, text.find('\n', at) - at);
  }
  return text;
}

TEST(SmallestRun, ARaceIsItsTwoAccessesUnderTheirLocks) {
  finding::Finding f{.details = finding::RaceFinding{"p->x"}};
  f.events = {described_event("T0", "wr", "p->x", {{"m", false}}),
              described_event("T1", "rd", "p->x")};
  EXPECT_EQ(smallest_run(f), "acq T0 m\nwr T0 p__x @a.cc:3:1\nrd T1 p__x @a.cc:3:1\nrel T0 m\n");
}

TEST(SmallestRun, ADeadlockIsTheOrderOfTheLocks) {
  finding::Finding f{.details = finding::DeadlockFinding{}};
  f.events = {described_event("T1", "acq", "b", {{"a", false}}),
              described_event("T2", "req", "a", {{"b", false}})};
  EXPECT_EQ(run_of(f),
            "acq T1 a\nacq T1 b\nrel T1 b\nrel T1 a\n"
            "acq T2 b\nacq T2 a\nrel T2 a\nrel T2 b\n");
}

TEST(SmallestRun, ALostNotifyIsAWaitThatHadOne) {
  finding::Finding f{.details = finding::DeadlockFinding{}};
  f.events = {described_event("T1", "wake", "c")};
  f.witness.emplace().last_steps = {described_event("T2", "notify", "d"),
                                    described_event("T2", "notify", "c")};
  EXPECT_EQ(run_of(f),
            "acq T1 c_lock\nwait T1 c c_lock\nnotify T2 c\nwake T1 c c_lock\nrel T1 c_lock\n");
}

TEST(SmallestRun, OtherWaitsHaveNone) {
  finding::Finding f{.details = finding::DeadlockFinding{}};
  f.events = {described_event("T1", "join", "T2", {{"m", false}}),
              described_event("T2", "acq", "m")};
  EXPECT_FALSE(smallest_run(f));
}

TEST(SmallestRun, ABlockIsTornApartInIt) {
  finding::Finding f{.details = finding::AtomicityFinding{.blocks = {"main", "take()"}}};
  f.events = {described_event("T0", "rd", "x", {{"m", false}}), described_event("T1", "wr", "x"),
              described_event("T0", "wr", "x")};
  EXPECT_EQ(run_of(f),
            "beg T0 take__\nacq T0 m\nrd T0 x\nrel T0 m\nwr T1 x\nwr T0 x\nend T0 take__\n");
}

TEST(SmallestRun, VariablesAreNamedAsTheSourceWritesThem) {
  finding::Finding f{.details = finding::AtomicityFinding{}};
  f.events = {described_event("T0", "rd", "0x10:4"), described_event("T1", "wr", "0x10:4"),
              described_event("T1", "wr", "0x20:4"), described_event("T0", "rd", "0x20:4")};
  for (finding::DescribedEvent& e : f.events) e.expression = "p->x";
  EXPECT_EQ(run_of(f),
            "beg T0 block\nrd T0 p__x\nwr T1 p__x\nwr T1 p__x_2\nrd T0 p__x_2\nend T0 block\n");
}

TEST(SmallestRun, ALockThatABlockTakesTwiceIsGivenBackInBetween) {
  finding::Finding f{.details = finding::AtomicityFinding{}};
  f.events = {described_event("T0", "acq", "m"), described_event("T1", "acq", "m"),
              described_event("T0", "acq", "m")};
  EXPECT_EQ(
      run_of(f),
      "beg T0 block\nacq T0 m\nrel T0 m\nacq T1 m\nrel T1 m\nacq T0 m\nrel T0 m\nend T0 block\n");
}

TEST(SmallestRun, AnUncertainResultIsReadWhenAllHaveEnded) {
  finding::Finding f{.details = finding::NondeterminismFinding{
                         "x", described_event("T2", "wr", "x", {{"m", false}})}};
  f.events = {described_event("T0", "rd", "x"), described_event("T1", "wr", "x", {{"m", false}})};
  EXPECT_EQ(run_of(f),
            "fork T0 T1\nfork T0 T2\nacq T1 m\nwr T1 x\nrel T1 m\nacq T2 m\nwr T2 x\nrel T2 m\n"
            "join T0 T1\njoin T0 T2\nrd T0 x\n");
}

TEST(SmallestRun, AnInitialValueIsReadByWhoDoesNotWait) {
  finding::Finding f{.details = finding::NondeterminismFinding{
                         "x", described_event("T2", "wr", "x", {{"m", false}})}};
  f.events = {described_event("T0", "rd", "x", {{"m", false}})};
  EXPECT_EQ(run_of(f), "acq T2 m\nwr T2 x\nrel T2 m\nacq T0 m\nrd T0 x\nrel T0 m\n");
}

}  // namespace
}  // namespace foretell::replay

#include "replay/regression.h"

#include <gtest/gtest.h>

#include "trace/tiddle/tiddle_reader.h"

namespace foretell {
namespace {

DescribedEvent event(std::string thread, std::string operation, std::string object,
                     std::vector<HeldLock> locks = {}) {
  return {.thread = std::move(thread),
          .operation = std::move(operation),
          .object = std::move(object),
          .site = "a.cc:3:1",
          .function = "f",
          .expression = "p->x",
          .locks = std::move(locks)};
}

TEST(ToTiddle, ARaceIsItsTwoAccessesUnderTheirLocks) {
  Finding f{.id = "race-1", .kind = FindingKind::race, .location = "p->x"};
  f.events = {event("T0", "wr", "p->x", {{"m", false}}), event("T1", "rd", "p->x")};
  EXPECT_EQ(to_tiddle(f), "acq T0 m\nwr T0 p__x @a.cc:3:1\nrd T1 p__x @a.cc:3:1\nrel T0 m\n");
  EXPECT_TRUE(parse_tiddle(to_tiddle(f)));
}

TEST(ToTiddle, ADeadlockIsTheOrderOfTheLocks) {
  Finding f{.id = "deadlock-1", .kind = FindingKind::deadlock};
  f.events = {event("T1", "acq", "b", {{"a", false}}), event("T2", "acq", "a", {{"b", false}})};
  EXPECT_EQ(to_tiddle(f),
            "acq T1 a\nacq T1 b @a.cc:3:1\nrel T1 b\nrel T1 a\n"
            "acq T2 b\nacq T2 a @a.cc:3:1\nrel T2 a\nrel T2 b\n");
}

TEST(ToTiddle, ABlockIsTornApartInIt) {
  Finding f{.id = "atomicity-1", .kind = FindingKind::atomicity};
  f.events = {event("T0", "rd", "x", {{"m", false}}), event("T1", "wr", "x", {{"m", false}}),
              event("T0", "wr", "x", {{"m", false}})};
  const auto trace = parse_tiddle(to_tiddle(f));
  ASSERT_TRUE(trace) << trace.error().to_text();
  EXPECT_TRUE(to_tiddle(f).starts_with("beg T0 block\nacq T0 m\nrd T0 x @a.cc:3:1\nrel T0 m\n"));
}

TEST(KnownBug, IsTheSameAfterLinesMoved) {
  Finding f{.id = "race-1", .kind = FindingKind::race, .location = "p->x"};
  f.events = {event("T0", "wr", "p->x"), event("T1", "rd", "p->x")};
  Finding moved = f;
  moved.id = "race-7";
  std::swap(moved.events[0], moved.events[1]);
  for (DescribedEvent& e : moved.events) e.site = "a.cc:90:1";
  EXPECT_EQ(bug_of(f), bug_of(moved));
  moved.events[0].expression = "q->y";
  EXPECT_FALSE(bug_of(f) == bug_of(moved));
}

}  // namespace
}  // namespace foretell

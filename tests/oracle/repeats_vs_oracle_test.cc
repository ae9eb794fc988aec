// SPDX-License-Identifier: Apache-2.0

// What repeated reads are worth: every finding of a trace and of the trace without the reads that
// the filter (recording/filter.h) leaves out, by brute force.
//
// A read is left out if its thread has recorded a read of the same location in the same segment,
// with the same value; the last such one is its twin. A segment ends with every event but a plain
// access, an entry, an exit and a branch. Tested here, and true because nobody notices a read:
//
//   1. What is found among the events that are left stays found: races, deadlocks, acquires that
//      meet, writes that a read can see. (A reordering without some of its reads is one.)
//   2. A trace has a race if and only if the reduced one has; if it has none, nothing changes.
//   3. A race of a left-out read is one of its twin with the same access, or a write of its own
//      thread between the two races, or the location is freed between them. (Stop the reader at the
//      twin. The others can go on unless they have read what it wrote in between, which races.)
//   4. A left-out read can see another write only if its twin can, or as in 3.
//
// Not kept, once there is a race; the tests at the end have an example of each:
//
//   * The location of a race can be lost, if a race on the way to it is found.
//   * A race or a deadlock can be new: a left-out read no longer keeps its write, so an
//     interleaving may go on behind it that changes what it reads. Mostly that is the same value in
//     another write: then the program does go on so.
//
// Of 74,000 random traces with repeats (of 40,000 of each profile) 41,000 have a race, 0.8% one
// that is new, nearly always because another write stands between a read and its twin; 0.1% lose a
// racy location, 0.02% gain one; none has a deadlock more or less.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "oracle.h"
#include "property.h"
#include "run_of.h"

namespace foretell::oracle {
namespace {

bool ends_segment(trace::EventKind kind) {
  return !is_plain_access(kind) && kind != trace::EventKind::FunctionEnter &&
         kind != trace::EventKind::FunctionExit && kind != trace::EventKind::Branch;
}

// What a location holds: a value that is known, or what the write at a position stored.
struct Content {
  std::optional<uint64_t> value;
  Position writer = 0;
  bool operator==(const Content&) const = default;
};

struct Reduced {
  trace::Trace trace;
  std::vector<Position> whole;        // by position: where it is in the whole trace
  std::map<Position, Position> twin;  // by left-out read
};

Reduced leave_out_repeats(const trace::Trace& trace) {
  Reduced reduced{.trace = trace, .whole = {}, .twin = {}};
  reduced.trace.events.clear();
  std::map<LocationId, Content> memory;
  std::map<ThreadId, std::map<LocationId, std::pair<Content, Position>>> known;
  const auto& events = trace.events;
  for (Position begin = 0, end = 0; begin < events.size(); begin = end) {
    const trace::Event& first = events[begin];
    // The pieces of a read stand together.
    do end++;
    while (end < events.size() && first.kind == trace::EventKind::Read &&
           events[end].kind == trace::EventKind::Read && events[end].index == first.index);
    auto& mine = known[first.thread];
    if (ends_segment(first.kind)) mine.clear();
    const auto content_of = [&](Position p) {
      return memory.try_emplace(events[p].location(), Content{.value = 0}).first->second;
    };
    const auto repeats = [&](Position p) {
      const auto it = mine.find(events[p].location());
      return it != mine.end() && it->second.first == content_of(p);
    };
    bool all = first.kind == trace::EventKind::Read;
    for (Position p = begin; p < end; ++p) all = all && repeats(p);
    for (Position p = begin; p < end; ++p) {
      const trace::Event& e = events[p];
      if (all) {
        reduced.twin[p] = mine[e.location()].second;
        continue;
      }
      if (e.kind == trace::EventKind::Read) mine[e.location()] = {content_of(p), p};
      if (is_write(e.kind)) {
        memory[e.location()] = e.has_value() ? Content{.value = e.value} : Content{.writer = p};
      }
      reduced.trace.events.push_back(e);
      reduced.whole.push_back(p);
    }
  }
  return reduced;
}

// Mostly reads, of few locations.
Profile reading_profile() {
  Profile p = race_profile();
  p.name = "reading";
  p.locations = {0, 1};
  p.least_events = 8;
  p.most_events = 14;
  auto weigh = [&](trace::EventKind kind, uint8_t weight) {
    p.weight[static_cast<size_t>(kind)] = weight;
  };
  weigh(trace::EventKind::Read, 14);
  weigh(trace::EventKind::Write, 6);
  weigh(trace::EventKind::Acquire, 4);
  weigh(trace::EventKind::Release, 4);
  return p;
}

// The two truths, in positions of the whole trace.
struct Comparison {
  explicit Comparison(const trace::Trace& trace)
      : trace(trace), reduced(leave_out_repeats(trace)), whole(Oracle(trace).schedules()) {
    const Truth truth = Oracle(reduced.trace).schedules();
    const auto at = [&](Position p) { return reduced.whole[p]; };
    for (const auto& [a, b] : truth.races) rest.races.emplace(at(a), at(b));
    for (const auto& [a, b] : truth.meetings) rest.meetings.emplace(at(a), at(b));
    for (std::vector<Position> deadlock : truth.deadlocks) {
      std::ranges::transform(deadlock, deadlock.begin(), at);
      rest.deadlocks.insert(std::move(deadlock));
    }
    for (const auto& [read, writers] : truth.other_writers) {
      for (const auto& writer : writers) {
        rest.other_writers[at(read)].insert(writer ? std::optional(at(*writer)) : std::nullopt);
      }
    }
  }

  bool is_left_out(Position p) const { return reduced.twin.contains(p); }
  // The exception of 3 and 4.
  bool disturbed(Position read) const {
    const trace::Event& e = trace.events[read];
    for (Position p = reduced.twin.at(read); p < read; ++p) {
      const trace::Event& between = trace.events[p];
      if (between.kind == trace::EventKind::Free && between.object == e.object) return true;
      if (between.thread == e.thread && is_write(between.kind) && races(p)) return true;
    }
    return false;
  }
  bool races(Position p) const {
    return std::ranges::any_of(
        whole.races, [&](const Pair& race) { return race.first == p || race.second == p; });
  }

  const trace::Trace& trace;
  Reduced reduced;
  Truth whole, rest;
};

std::string what_is_left_is_found(const trace::Trace& trace, Dice&) {
  const Comparison c(trace);
  for (const auto& [a, b] : c.whole.races) {
    if (!c.is_left_out(a) && !c.is_left_out(b) && !c.rest.races.contains({a, b})) {
      return fmt::format("race {}-{} is lost", a, b);
    }
  }
  if (!std::ranges::includes(c.rest.deadlocks, c.whole.deadlocks)) return "a deadlock is lost";
  if (!std::ranges::includes(c.rest.meetings, c.whole.meetings)) return "a meeting is lost";
  for (const auto& [read, writers] : c.whole.other_writers) {
    if (c.is_left_out(read)) continue;
    const auto it = c.rest.other_writers.find(read);
    if (it == c.rest.other_writers.end() || !std::ranges::includes(it->second, writers)) {
      return fmt::format("read {} sees less", read);
    }
  }
  return "";
}

std::string without_races_nothing_changes(const trace::Trace& trace, Dice&) {
  const Comparison c(trace);
  if (c.whole.races.empty() != c.rest.races.empty()) {
    return fmt::format("{}, but in the reduced trace {}", to_text(c.whole.races),
                       to_text(c.rest.races));
  }
  if (!c.whole.races.empty()) return "";
  if (c.whole.deadlocks != c.rest.deadlocks) return "deadlocks differ";
  if (c.whole.meetings != c.rest.meetings) return "meetings differ";
  return c.whole.other_writers == c.rest.other_writers ? "" : "what reads can see differs";
}

std::string twins_have_the_races(const trace::Trace& trace, Dice&) {
  const Comparison c(trace);
  for (const auto& [a, b] : c.whole.races) {
    for (const auto& [read, other] : {Pair{a, b}, Pair{b, a}}) {
      if (!c.is_left_out(read) || c.disturbed(read)) continue;
      // The other one may be a read of an atomic, but no left-out one: two reads do not race.
      const Position twin = c.reduced.twin.at(read);
      if (!c.rest.races.contains(std::minmax(twin, other))) {
        return fmt::format("race {}-{} has no {}-{}", read, other, twin, other);
      }
    }
  }
  return "";
}

std::string twins_see_other_writes(const trace::Trace& trace, Dice&) {
  const Comparison c(trace);
  for (const auto& [read, twin] : c.reduced.twin) {
    if (c.whole.other_writers.contains(read) && !c.disturbed(read) &&
        !c.rest.other_writers.contains(twin)) {
      return fmt::format("read {} can see another write, its twin {} cannot", read, twin);
    }
  }
  return "";
}

class RepeatsVsOracle : public testing::TestWithParam<Profile> {};
constexpr Trials kTrials{.traces = 3000, .most_events = 14};

TEST_P(RepeatsVsOracle, TracesHaveRepeats) {
  size_t with_repeats = 0;
  for (uint64_t number = 0; number < 500; ++number) {
    const auto trace = well_formed(nth_trace(GetParam(), number));
    with_repeats += trace && !leave_out_repeats(*trace).twin.empty();
  }
  EXPECT_GE(with_repeats, 25u);
}

TEST_P(RepeatsVsOracle, WhatIsLeftIsFound) {
  expect_property("repeats-left", GetParam(), kTrials, what_is_left_is_found);
}

TEST_P(RepeatsVsOracle, WithoutRacesNothingChanges) {
  expect_property("repeats-no-race", GetParam(), kTrials, without_races_nothing_changes);
}

TEST_P(RepeatsVsOracle, TwinsHaveTheRacesOfRepeats) {
  expect_property("repeats-races", GetParam(), kTrials, twins_have_the_races);
}

TEST_P(RepeatsVsOracle, TwinsSeeOtherWritesIfRepeatsDo) {
  expect_property("repeats-views", GetParam(), kTrials, twins_see_other_writes);
}

std::vector<Profile> profiles() {
  auto all = all_profiles();
  all.push_back(reading_profile());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Profiles, RepeatsVsOracle, testing::ValuesIn(profiles()),
                         [](const auto& tested) { return std::string(tested.param.name); });

// The write of x races with the second read only: it needs y = 1, which races itself. Without that
// race, y being atomic, a segment ends and the second read is recorded.
TEST(RepeatsVsOracle, ARaceBehindAnotherIsLost) {
  const trace::Trace trace = run_of("rd 1 x wr 1 y 1 rd 2 y 1 rd 1 x wr 2 x 1");
  const Comparison c(trace);
  EXPECT_EQ(c.whole.races, (std::set<Pair>{{1, 2}, {3, 4}}));
  EXPECT_EQ(c.rest.races, (std::set<Pair>{{1, 2}}));
  const trace::Trace fixed = run_of("rd 1 x awr 1 y sc 1 ard 2 y sc 1 rd 1 x wr 2 x 1");
  EXPECT_EQ(Comparison(fixed).rest.races, (std::set<Pair>{{3, 4}}));
}

// The second read of y keeps the write of another thread, and so comes after its read of z. It
// would read 0 before it as well, so the program can do what the reduced trace shows.
TEST(RepeatsVsOracle, ARaceIsNewIfTheSameValueIsWritten) {
  const trace::Trace trace = run_of("rd 1 y 0 rd 2 z wr 2 y 0 rd 1 y 0 wr 1 z");
  const Comparison c(trace);
  EXPECT_EQ(c.whole.races, (std::set<Pair>{{0, 2}, {2, 3}}));
  EXPECT_EQ(c.rest.races, (std::set<Pair>{{0, 2}, {1, 4}}));
}

// Thread 2 gets its lock before thread 3 takes it or after it gave it back. Before: its write of x
// then comes before the write of q that thread 1 needs, and so between the two reads of x. After:
// thread 1 is past `end`.
std::string race_on_x_then(std::string_view end, std::string_view other_end) {
  return fmt::format(
      "rd 1 x acq 3 l wr 3 q 1 rd 1 q 1 rd 1 x {} wr 1 u 1 rd 3 u 1 rel 3 l "
      "acq 2 l wr 2 x 1 rel 2 l {}",
      end, other_end);
}

TEST(RepeatsVsOracle, ARaceIsNewIfAWriteCanComeBetween) {
  const trace::Trace trace = run_of(race_on_x_then("wr 1 z", "wr 2 z"));
  const Comparison c(trace);
  const Pair race{5, 12};
  EXPECT_FALSE(c.whole.races.contains(race));
  EXPECT_TRUE(c.rest.races.contains(race));
  // It is not alone.
  EXPECT_TRUE(c.whole.races.contains({0, 10}));
  EXPECT_TRUE(c.rest.races.contains({0, 10}));
}

TEST(RepeatsVsOracle, ADeadlockIsNewIfAWriteCanComeBetween) {
  const trace::Trace trace =
      run_of(race_on_x_then("acq 1 m acq 1 n rel 1 n rel 1 m", "acq 2 n acq 2 m rel 2 m rel 2 n"));
  const Comparison c(trace);
  EXPECT_EQ(c.whole.deadlocks, (std::set<std::vector<Position>>{}));
  EXPECT_EQ(c.rest.deadlocks, (std::set<std::vector<Position>>{{6, 16}}));
}

// A repeat after a free by another thread: whoever writes what was freed races with it, not with
// its twin, which comes before the free. The free races with both.
TEST(RepeatsVsOracle, ARaceWithFreedMemoryIsTheFreesRace) {
  const trace::Trace trace = run_of("rd 1 p free 2 p rd 1 p wr 2 p");
  const Comparison c(trace);
  EXPECT_TRUE(c.whole.races.contains({2, 3}));
  EXPECT_EQ(c.rest.races, (std::set<Pair>{{0, 1}}));
}

}  // namespace
}  // namespace foretell::oracle

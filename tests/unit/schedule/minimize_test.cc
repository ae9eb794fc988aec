// SPDX-License-Identifier: Apache-2.0

#include "schedule/minimize.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/schedule/random_schedule.h"

namespace foretell::schedule {
namespace {

std::vector<uint32_t> column(const Schedule& schedule) {
  std::vector<uint32_t> threads;
  for (const ScheduleRun& run : schedule.runs) {
    threads.insert(threads.end(), run.steps, static_cast<uint32_t>(run.thread));
  }
  return threads;
}

Schedule parsed(std::string_view text) {
  return *parse_schedule(text);
}

// When the i-th step of `thread` happens.
size_t moment(const Schedule& schedule, uint32_t thread, uint64_t step) {
  const std::vector<uint32_t> threads = column(schedule);
  for (size_t at = 0; at < threads.size(); ++at) {
    if (threads[at] == thread && step-- == 0) return at;
  }
  return SIZE_MAX;
}

TEST(Minimize, GroupsAFreeScheduleByThread) {
  const Minimized result =
      minimize(parsed("ft1:0x1.1x1.0x1.1x1.2x1.0x1.1x1"), [](const Schedule&) { return true; });
  EXPECT_LE(result.schedule.switches(), 2u);
}

TEST(Minimize, KeepsTheOneSwitchThatMatters) {
  // Thread 1 must take its third step before thread 0 takes its second.
  auto reproduces = [](const Schedule& s) {
    const size_t need = moment(s, 1, 2), other = moment(s, 0, 1);
    return need != SIZE_MAX && other != SIZE_MAX && need < other;
  };
  const Minimized result = minimize(parsed("ft1:0x1.1x1.2x4.1x2.0x2.2x1.1x1"), reproduces);
  EXPECT_TRUE(reproduces(result.schedule));
  EXPECT_LE(result.schedule.switches(), 2u) << result.schedule.to_string();
}

TEST(Minimize, PinnedStepsStayLast) {
  const Minimized result = minimize(parsed("ft1:0x2.1x1.2x1.0x1.2x3.1x1.2x1"),
                                    [](const Schedule&) { return true; }, {.pinned_steps = 2});
  const auto threads = column(result.schedule);
  ASSERT_GE(threads.size(), 2u);
  EXPECT_EQ(threads[threads.size() - 2], 1u);
  EXPECT_EQ(threads.back(), 2u);
}

TEST(Minimize, LeavesWhatCannotChange) {
  const Schedule schedule = parsed("ft1:0x2.1x1.0x1");
  const Minimized result = minimize(schedule, [&](const Schedule& s) { return s == schedule; });
  EXPECT_EQ(result.schedule, schedule);
  EXPECT_FALSE(result.cut_short);
}

TEST(Minimize, SaysWhenTheTriesRanOut) {
  uint64_t asked = 0;
  const Minimized result =
      minimize(parsed("ft1:0x1.1x1.2x1.0x1.1x1.2x1.0x1.1x1"),
               [&](const Schedule&) { return ++asked == 0; }, {.most_tries = 3});
  EXPECT_EQ(asked, 3u);
  EXPECT_EQ(result.tries, 3u);
  EXPECT_TRUE(result.cut_short);
}

// Random precedence constraints between steps stand for a program.
TEST(Minimize, NeverReturnsWhatDoesNotReproduceAndNeverGrows) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    trace::Pcg random(seed);
    const Schedule schedule = random_schedule(random, 25);
    const std::vector<uint32_t> threads = column(schedule);
    struct Constraint {
      uint32_t before, after;
      uint64_t before_step, after_step;
    };
    std::vector<Constraint> constraints;
    std::map<uint32_t, uint64_t> taken;
    std::vector<uint64_t> step_of;
    for (uint32_t t : threads) step_of.push_back(taken[t]++);
    for (uint32_t i = 0; threads.size() > 1 && i < 6; ++i) {
      const auto size = static_cast<uint32_t>(threads.size());
      const uint32_t a = random.below(size - 1), b = a + 1 + random.below(size - a - 1);
      constraints.push_back({threads[a], threads[b], step_of[a], step_of[b]});
    }
    auto reproduces = [&](const Schedule& s) {
      for (const Constraint& c : constraints) {
        const size_t before = moment(s, c.before, c.before_step);
        const size_t after = moment(s, c.after, c.after_step);
        if (after == SIZE_MAX || before >= after) return false;
      }
      return true;
    };
    ASSERT_TRUE(reproduces(schedule));
    const Minimized first = minimize(schedule, reproduces);
    EXPECT_TRUE(reproduces(first.schedule)) << schedule.to_string();
    EXPECT_LE(first.schedule.switches(), schedule.switches());
    EXPECT_EQ(minimize(schedule, reproduces).schedule, first.schedule) << "not deterministic";
    // Program order: every thread takes a prefix of its steps.
    std::map<uint32_t, uint64_t> left;
    for (uint32_t t : column(first.schedule)) ++left[t];
    for (auto [thread, steps] : left) EXPECT_LE(steps, taken[thread]);
  }
}

}  // namespace
}  // namespace foretell::schedule

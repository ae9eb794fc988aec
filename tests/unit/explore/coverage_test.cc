// SPDX-License-Identifier: Apache-2.0

// "All schedules are covered" against all schedules: what exploring finds by running a made-up
// program again and again is what running it under every schedule finds, and no run does what
// another one did.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "explore/frontier.h"
#include "model_program.h"

namespace foretell::explore {
namespace {

using Kind = Instruction::Kind;
using Outcomes = std::set<std::vector<uint64_t>>;

struct AllSchedules {
  Outcomes outcomes;
  std::set<History> behaviors;
  size_t runs = 0;
};

AllSchedules run_all(const ModelProgram& program) {
  AllSchedules all;
  for_each_run(ModelRun(program), [&](const ModelRun& run) {
    ++all.runs;
    if (all.outcomes.insert(run.outcome()).second || all.runs < 2000) {
      all.behaviors.insert(run.explored()->histories().whole());
    }
  });
  return all;
}

struct Explored {
  Outcomes outcomes;
  size_t runs = 0;
  size_t behaviors = 0;
  bool reached_all = true;  // every forced run had what it was made for
  uint64_t gave_up = 0;
};

ModelRun run_by(const ModelProgram& program, const std::optional<schedule::Schedule>& schedule,
                std::mt19937& random) {
  ModelRun run(program);
  if (schedule) {
    for (const schedule::ScheduleRun& part : schedule->runs) {
      for (uint64_t i = 0; i < part.steps && run.can_step(static_cast<size_t>(part.thread)); ++i) {
        run.step(static_cast<size_t>(part.thread));
      }
    }
  }
  while (!run.is_over()) {
    const size_t t = random() % run.thread_count();
    if (run.can_step(t)) run.step(t);
  }
  return run;
}

Explored explore_all(const ModelProgram& program, uint32_t seed) {
  std::mt19937 random(seed);
  Explored explored;
  Frontier frontier;
  frontier.add_root();
  while (auto task = frontier.next()) {
    ExploredRun* run = task->run;
    if (run == nullptr) {
      const ModelRun made = run_by(program, task->schedule, random);
      ++explored.runs;
      explored.outcomes.insert(made.outcome());
      auto fresh = made.explored();
      run = fresh.get();
      if (!frontier.add(std::move(fresh))) {
        ADD_FAILURE() << "a run did what another one had done";
        continue;
      }
    }
    explored.reached_all &= run->contains(task->target);
    Neighbors neighbors = run->next_to(task->target, frontier);
    explored.gave_up += neighbors.gave_up;
    frontier.add(std::move(neighbors.alternatives));
  }
  explored.behaviors = frontier.runs();
  return explored;
}

void expect_covered(const ModelProgram& program, uint32_t seed) {
  const AllSchedules all = run_all(program);
  const Explored explored = explore_all(program, seed);
  EXPECT_EQ(explored.outcomes, all.outcomes) << "seed " << seed;
  EXPECT_TRUE(explored.reached_all) << "seed " << seed;
  EXPECT_EQ(explored.gave_up, 0u) << "seed " << seed;
  EXPECT_EQ(explored.runs, explored.behaviors) << "seed " << seed;
  if (all.runs < 2000) {
    EXPECT_EQ(explored.behaviors, all.behaviors.size()) << "seed " << seed;
  }
}

// Threads of a few instructions; a section is closed before the next begins, so nobody is stuck.
ModelProgram random_program(uint32_t seed) {
  std::mt19937 random(seed);
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  ModelProgram program{.variables = 1 + below(2), .locks = 1 + below(2)};
  const size_t threads = 2 + below(2);
  for (size_t t = 0; t < threads; ++t) {
    std::vector<Instruction> code;
    const size_t most = threads == 2 ? 6 : 4;
    while (code.size() < most) {
      const uint32_t variable = below(program.variables), lock = below(program.locks);
      switch (below(7)) {
        case 0:
        case 1:
          code.push_back({Kind::read, variable});
          break;
        case 2:
          code.push_back({Kind::write, variable, 1 + below(2)});
          break;
        case 3:
          code.push_back({Kind::add, variable, 1});
          break;
        case 4:
          code.push_back({Kind::lock, lock});
          code.push_back({below(2) ? Kind::read : Kind::write, variable, 1 + below(3)});
          code.push_back({Kind::unlock, lock});
          break;
        case 5:
          code.push_back({Kind::skip_unless, 0, below(2), 1});
          code.push_back({Kind::write, variable, 5 + below(2)});
          break;
        case 6:
          code.push_back({Kind::read, variable});
          code.push_back({Kind::skip_unless, 0, below(3), 3});
          code.push_back({Kind::lock, lock});
          code.push_back({below(2) ? Kind::read : Kind::write, variable, 7});
          code.push_back({Kind::unlock, lock});
          break;
      }
    }
    if (threads == 3 && code.size() > 5) code.clear();
    program.threads.push_back(std::move(code));
  }
  return program;
}

TEST(Coverage, ARunThatNobodyElseTouchesIsAll) {
  const ModelProgram program{.threads = {{{Kind::write, 0, 1}, {Kind::read, 0}}, {{Kind::read, 1}}},
                             .variables = 2};
  const Explored explored = explore_all(program, 1);
  EXPECT_EQ(explored.runs, 1u);
}

// Each reads its own flag of the other: neither alone shows both.
TEST(Coverage, TwoReadsThatChangeIndependently) {
  const ModelProgram program{.threads = {{{Kind::write, 0, 1}},
                                         {{Kind::write, 1, 1}},
                                         {{Kind::read, 0}, {Kind::read, 1}}},
                             .variables = 2};
  EXPECT_EQ(explore_all(program, 1).runs, 4u);
  expect_covered(program, 1);
}

TEST(Coverage, WhatALockedReadDecides) {
  const ModelProgram program{
      .threads = {{{Kind::write, 0, 1}, {Kind::lock, 0}, {Kind::write, 1, 1}, {Kind::unlock, 0}},
                  {{Kind::lock, 0},
                   {Kind::read, 1},
                   {Kind::unlock, 0},
                   {Kind::skip_unless, 0, 0, 1},
                   {Kind::write, 0, 2}}},
      .variables = 2};
  expect_covered(program, 1);
}

// Thousands by hand: FORETELL_PROGRAMS=5000.
TEST(Coverage, RandomProgramsUnderEverySchedule) {
  const char* text = std::getenv("FORETELL_PROGRAMS");
  const uint32_t programs = text != nullptr ? static_cast<uint32_t>(std::atoi(text)) : 40;
  for (uint32_t seed = 1; seed <= programs && !HasFailure(); ++seed) {
    expect_covered(random_program(seed), seed);
  }
}

}  // namespace
}  // namespace foretell::explore

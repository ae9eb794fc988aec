// The strategies of the controlled scheduler, without a program: runnable threads in, one choice
// out.
#include "runtime/schedule/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace foretell::rt {
namespace {

using recording::StrategyKind;

constexpr StrategyKind kAll[] = {StrategyKind::round_robin, StrategyKind::random,
                                 StrategyKind::pct};

// Threads that are blocked and woken by chance, and what a strategy makes of them.
class Scenario {
 public:
  Scenario(StrategyKind kind, uint64_t seed, size_t threads)
      : strategy_(
            make_strategy(kind, {.seed = seed, .quantum = 10, .depth = 3, .length = 50}, storage_)),
        threads_(threads),
        can_run_(threads, true) {
    for (size_t i = 0; i < threads; ++i) {
      threads_[i].number = static_cast<uint32_t>(i);
      strategy_->on_start(threads_[i]);
    }
  }

  void set_runnable(size_t thread, bool can_run) { can_run_[thread] = can_run; }

  // The number of the thread that is chosen.
  uint32_t choose(Moment moment, uint64_t budget_left = 0) {
    std::vector<Candidate*> runnable;
    for (size_t i = 0; i < threads_.size(); ++i) {
      if (can_run_[i]) runnable.push_back(&threads_[i]);
    }
    const Choice choice =
        strategy_->choose({moment, runnable.data(), runnable.size(), current_, budget_left});
    if (choice.index >= runnable.size()) {
      ADD_FAILURE() << "chose number " << choice.index << " of " << runnable.size();
      return 0;
    }
    budget_ = choice.budget;
    current_ = runnable[choice.index];
    return current_->number;
  }

  uint64_t budget() const { return budget_; }

  // "0x12 1x7": who ran, for how many steps, with threads that come and go by chance.
  std::string schedule(size_t decisions) {
    std::mt19937 chance(42);
    std::string text;
    for (size_t i = 0; i < decisions; ++i) {
      for (size_t t = 0; t < threads_.size(); ++t) set_runnable(t, chance() % 4 != 0);
      set_runnable(chance() % threads_.size(), true);
      const bool gone = current_ == nullptr || !can_run_[current_->number];
      const Moment moments[] = {Moment::budget_over, Moment::synchronization, Moment::yielded};
      const Moment moment = gone ? Moment::gone : moments[chance() % 3];
      const uint64_t left = moment == Moment::budget_over ? 0 : (budget_ + 1) / 2;
      const uint32_t thread = choose(moment, left);
      EXPECT_TRUE(can_run_[thread]) << "thread " << thread << " cannot run";
      EXPECT_GT(budget_, 0u);
      text += std::to_string(thread) + "x" + std::to_string(budget_) + " ";
    }
    return text;
  }

 private:
  StrategyStorage storage_;
  Strategy* strategy_;
  std::vector<Candidate> threads_;
  std::vector<bool> can_run_;
  Candidate* current_ = nullptr;
  uint64_t budget_ = 0;
};

TEST(Strategy, SameSeedSameSchedule) {
  for (StrategyKind kind : kAll) {
    EXPECT_EQ(Scenario(kind, 7, 5).schedule(300), Scenario(kind, 7, 5).schedule(300));
    EXPECT_NE(Scenario(kind, 7, 5).schedule(300), Scenario(kind, 8, 5).schedule(300));
  }
}

TEST(Strategy, OnlyARunnableThreadIsChosen) {
  for (StrategyKind kind : kAll) {
    for (uint64_t seed = 1; seed <= 20; ++seed) Scenario(kind, seed, 8).schedule(200);
  }
}

TEST(Strategy, RoundRobinTakesThreadsInOrderOfCreation) {
  Scenario run(StrategyKind::round_robin, 1, 4);
  EXPECT_EQ(run.choose(Moment::gone), 0u);
  EXPECT_EQ(run.choose(Moment::budget_over), 1u);
  run.set_runnable(2, false);
  EXPECT_EQ(run.choose(Moment::budget_over), 3u);
  EXPECT_EQ(run.choose(Moment::budget_over), 0u);
  run.set_runnable(0, false);  // blocked where it is
  EXPECT_EQ(run.choose(Moment::gone), 1u);
}

TEST(Strategy, RoundRobinGoesOnAtASynchronization) {
  Scenario run(StrategyKind::round_robin, 1, 3);
  run.choose(Moment::gone);
  const uint32_t thread = run.choose(Moment::budget_over);
  EXPECT_EQ(run.choose(Moment::synchronization, 5), thread);
  EXPECT_EQ(run.budget(), 5u);
}

TEST(Strategy, RoundRobinGivesAboutAQuantum) {
  Scenario run(StrategyKind::round_robin, 3, 2);
  for (int i = 0; i < 100; ++i) {
    run.choose(i == 0 ? Moment::gone : Moment::budget_over);
    EXPECT_GE(run.budget(), 6u);
    EXPECT_LE(run.budget(), 15u);
  }
}

TEST(Strategy, RandomWalkReachesEveryThread) {
  Scenario run(StrategyKind::random, 1, 4);
  std::vector<int> times(4);
  for (int i = 0; i < 400; ++i) ++times[run.choose(i == 0 ? Moment::gone : Moment::budget_over)];
  EXPECT_GT(*std::ranges::min_element(times), 50);
}

TEST(Strategy, PctRunsOneThreadUntilItYields) {
  Scenario run(StrategyKind::pct, 1, 3);
  const uint32_t first = run.choose(Moment::gone);
  EXPECT_EQ(run.choose(Moment::synchronization, run.budget()), first);
  const uint32_t second = run.choose(Moment::yielded, run.budget());
  EXPECT_NE(second, first);
  const uint32_t third = run.choose(Moment::yielded, run.budget());
  EXPECT_NE(third, first);
  EXPECT_NE(third, second);
  // All have fallen behind once: the one that fell first is before the others.
  EXPECT_EQ(run.choose(Moment::yielded, run.budget()), first);
}

// A recorded seed must give the same run in later versions.
TEST(Strategy, SchedulesOfASeedStayWhatTheyAre) {
  EXPECT_EQ(Scenario(StrategyKind::round_robin, 1, 3).schedule(8),
            "0x13 0x7 1x13 2x12 0x8 1x14 1x7 2x11 ");
  EXPECT_EQ(Scenario(StrategyKind::random, 1, 3).schedule(8),
            "1x13 1x2 1x15 2x11 1x16 0x10 0x5 2x2 ");
  EXPECT_EQ(Scenario(StrategyKind::pct, 1, 3).schedule(8),
            "1x27 2x14 1x47 0x200000 1x200000 2x200000 1x200000 2x200000 ");
}

}  // namespace
}  // namespace foretell::rt

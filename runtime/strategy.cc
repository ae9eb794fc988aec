// Round robin, random walk and PCT.
#include "strategy.h"

#include <new>

#include "options.h"

namespace foretell::rt {

using recording::StrategyKind;

namespace {

constexpr uint64_t kUnbounded = uint64_t{1} << 62;

// The next runnable thread after `thread` in order of creation, around the ring.
Thread* next_runnable(Thread* thread) {
  Thread* start = thread ? thread->next : all_threads();
  for (Thread* t = start; t; t = t->next) {
    if (t->run == Run::runnable) return t;
  }
  for (Thread* t = all_threads(); t != start; t = t->next) {
    if (t->run == Run::runnable) return t;
  }
  return nullptr;
}

// Every thread in turn, for a number of steps around the quantum: a run costs few switches, and two
// seeds interleave differently.
class RoundRobin final : public Strategy {
 public:
  RoundRobin() { random_.seed(options.seed); }
  bool ignores_synchronization() const override { return true; }
  Choice choose(Moment moment, Thread* current, uint64_t budget_left) override {
    if (moment == Moment::synchronization) return {current, budget_left};
    const uint64_t quantum = options.quantum ? options.quantum : 1;
    return {next_runnable(current), quantum / 2 + 1 + random_.below(quantum)};
  }

 private:
  Random random_;
};

// Any runnable thread, at each decision; decisions come at half of the synchronizations and after a
// random number of steps.
class RandomWalk final : public Strategy {
 public:
  RandomWalk() { random_.seed(options.seed); }
  Choice choose(Moment moment, Thread* current, uint64_t budget_left) override {
    if (moment == Moment::synchronization && random_.below(2)) return {current, budget_left};
    uint64_t runnable = 0;
    for (Thread* t = all_threads(); t; t = t->next) runnable += t->run == Run::runnable;
    uint64_t skip = random_.below(runnable);
    Thread* chosen = next_runnable(nullptr);
    while (skip--) chosen = next_runnable(chosen);
    return {chosen, 1 + random_.below(2 * options.quantum + 1)};
  }

 private:
  Random random_;
};

// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): the runnable thread of
// highest priority runs; at depth - 1 random steps the running thread falls behind all others.
// A bug of that depth is hit with probability at least 1 / (threads * steps^(depth-1)).
// A thread that yields or spins falls behind too, or it would spin for ever.
class Pct final : public Strategy {
 public:
  Pct() {
    random_.seed(options.seed);
    next_change_ = options.depth > 1 ? 1 + random_.below(options.length + 1) : kUnbounded;
    changes_left_ = options.depth > 1 ? options.depth - 1 : 0;
  }
  void on_start(Thread* thread) override {
    thread->priority = kUnbounded + random_.below(kUnbounded);
  }
  Choice choose(Moment moment, Thread* current, uint64_t budget_left) override {
    if (current) {
      steps_ += given_ - budget_left;
      if (moment == Moment::yielded) fall_behind(current);
      if (moment == Moment::budget_over) {
        fall_behind(current);
        if (changes_left_ > 0 && steps_ >= next_change_) {
          changes_left_--;
          next_change_ = steps_ + 1 + random_.below(options.length + 1);
        }
      }
    }
    Thread* best = nullptr;
    for (Thread* t = all_threads(); t; t = t->next) {
      if (t->run == Run::runnable && (!best || t->priority > best->priority)) best = t;
    }
    const uint64_t change =
        changes_left_ > 0 && next_change_ > steps_ ? next_change_ - steps_ : kSpin;
    given_ = change < kSpin ? change : kSpin;
    return {best, given_};
  }

 private:
  static constexpr uint64_t kSpin = 200000;  // steps without a change: taken for a spin loop

  void fall_behind(Thread* thread) { thread->priority = --lowest_; }

  Random random_;
  uint64_t steps_ = 0;
  uint64_t given_ = 0;
  uint64_t next_change_ = 0;
  uint64_t changes_left_ = 0;
  uint64_t lowest_ = kUnbounded;
};

alignas(16) char storage_[256];
Strategy* chosen = nullptr;

template <class T>
Strategy* make() {
  static_assert(sizeof(T) <= sizeof storage_);
  return new (storage_) T();
}

}  // namespace

void forget_strategy() {
  chosen = nullptr;
}

Strategy& chosen_strategy() {
  if (!chosen) {
    switch (options.strategy) {
      case StrategyKind::random:
        chosen = make<RandomWalk>();
        break;
      case StrategyKind::pct:
        chosen = make<Pct>();
        break;
      case StrategyKind::round_robin:
        chosen = make<RoundRobin>();
        break;
    }
  }
  return *chosen;
}

}  // namespace foretell::rt

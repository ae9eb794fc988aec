// SPDX-License-Identifier: Apache-2.0

// Round robin, random walk and PCT.
#include "runtime/schedule/strategy.h"

#include <new>

namespace foretell::rt {
namespace {

constexpr uint64_t kUnbounded = uint64_t{1} << 62;

// xorshift*: small, seedable, good enough to pick threads.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d) {}
  uint64_t below(uint64_t n) { return (next() >> 11) % n; }

 private:
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }

  uint64_t state_;
};

// At a synchronization `current` is one of the runnable threads.
Choice go_on(const Decision& decision) {
  size_t index = 0;
  while (index + 1 < decision.count && decision.runnable[index] != decision.current) index++;
  return {index, decision.budget_left};
}

// Every thread in turn, for a number of steps around the quantum: a run costs few switches, and two
// seeds interleave differently.
class RoundRobin final : public Strategy {
 public:
  explicit RoundRobin(const StrategyParameters& parameters)
      : random_(parameters.seed), quantum_(parameters.quantum ? parameters.quantum : 1) {}
  bool ignores_synchronization() const override { return true; }
  Choice choose(const Decision& decision) override {
    if (decision.moment == Moment::synchronization) return go_on(decision);
    return {next_after(decision), quantum_ / 2 + 1 + random_.below(quantum_)};
  }

 private:
  // The next one in order of creation, around the ring.
  static size_t next_after(const Decision& decision) {
    if (!decision.current) return 0;
    for (size_t i = 0; i < decision.count; i++) {
      if (decision.runnable[i]->number > decision.current->number) return i;
    }
    return 0;
  }

  Random random_;
  uint64_t quantum_;
};

// Any runnable thread, at each decision; decisions come at half of the synchronizations and after a
// random number of steps.
class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(const StrategyParameters& parameters)
      : random_(parameters.seed), quantum_(parameters.quantum) {}
  Choice choose(const Decision& decision) override {
    if (decision.moment == Moment::synchronization && random_.below(2)) return go_on(decision);
    const uint64_t index = random_.below(decision.count);
    return {index, 1 + random_.below(2 * quantum_ + 1)};
  }

 private:
  Random random_;
  uint64_t quantum_;
};

// Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): the runnable thread of
// highest priority runs; at depth - 1 random steps the running thread falls behind all others.
// A bug of that depth is hit with probability at least 1 / (threads * steps^(depth-1)).
// A thread that yields or spins falls behind too, or it would spin for ever.
class Pct final : public Strategy {
 public:
  explicit Pct(const StrategyParameters& parameters)
      : random_(parameters.seed), length_(parameters.length) {
    next_change_ = parameters.depth > 1 ? 1 + random_.below(length_ + 1) : kUnbounded;
    changes_left_ = parameters.depth > 1 ? parameters.depth - 1 : 0;
  }
  void on_start(Candidate& thread) override {
    thread.priority = kUnbounded + random_.below(kUnbounded);
  }
  Choice choose(const Decision& decision) override {
    if (decision.current) settle(decision);
    size_t best = 0;
    for (size_t i = 1; i < decision.count; i++) {
      if (decision.runnable[i]->priority > decision.runnable[best]->priority) best = i;
    }
    const uint64_t change =
        changes_left_ > 0 && next_change_ > steps_ ? next_change_ - steps_ : kSpin;
    given_ = change < kSpin ? change : kSpin;
    return {best, given_};
  }

 private:
  static constexpr uint64_t kSpin = 200000;  // steps without a change: taken for a spin loop

  // What the current thread has done since the last choice.
  void settle(const Decision& decision) {
    steps_ += given_ - decision.budget_left;
    if (decision.moment == Moment::yielded) fall_behind(*decision.current);
    if (decision.moment == Moment::budget_over) {
      fall_behind(*decision.current);
      if (changes_left_ > 0 && steps_ >= next_change_) {
        changes_left_--;
        next_change_ = steps_ + 1 + random_.below(length_ + 1);
      }
    }
  }

  void fall_behind(Candidate& thread) { thread.priority = --lowest_; }

  Random random_;
  uint64_t length_;
  uint64_t steps_ = 0;
  uint64_t given_ = 0;
  uint64_t next_change_ = 0;
  uint64_t changes_left_ = 0;
  uint64_t lowest_ = kUnbounded;
};

template <class T>
Strategy* make(const StrategyParameters& parameters, StrategyStorage& storage) {
  static_assert(sizeof(T) <= sizeof storage && alignof(T) <= alignof(StrategyStorage));
  return new (storage.bytes) T(parameters);
}

}  // namespace

Strategy* make_strategy(recording::StrategyKind kind, const StrategyParameters& parameters,
                        StrategyStorage& storage) {
  switch (kind) {
    case recording::StrategyKind::round_robin:
      return make<RoundRobin>(parameters, storage);
    case recording::StrategyKind::random:
      return make<RandomWalk>(parameters, storage);
    case recording::StrategyKind::pct:
      return make<Pct>(parameters, storage);
  }
  __builtin_unreachable();
}

}  // namespace foretell::rt

// Strategies: who runs next.
//
// A strategy is asked at every decision and answers with a runnable thread and the number of steps
// after which it wants to be asked again. It sees threads only through this interface and must be
// deterministic in what it sees and its seed.
#pragma once

#include "thread.h"

namespace foretell::rt {

enum class Moment {
  budget_over,      // the current thread has used its steps
  synchronization,  // it is about to synchronize; budget is what it has left
  yielded,          // it would rather have others run
  gone,             // it cannot go on: blocked, ended or external
};

struct Choice {
  Thread* thread;
  uint64_t budget;
};

class Strategy {
 public:
  virtual void on_start(Thread*) {}
  // Whether at a synchronization the current thread always goes on as if nobody had asked.
  virtual bool ignores_synchronization() const { return false; }
  // `current` may be null. At least one thread is runnable.
  virtual Choice choose(Moment moment, Thread* current, uint64_t budget_left) = 0;

 protected:
  ~Strategy() = default;
};

// xorshift*: small, seedable, good enough to pick threads.
class Random {
 public:
  void seed(uint64_t seed) { state_ = seed * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d; }
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }
  uint64_t below(uint64_t n) { return (next() >> 11) % n; }

 private:
  uint64_t state_ = 1;
};

// The strategy of the options.
Strategy& chosen_strategy();

}  // namespace foretell::rt

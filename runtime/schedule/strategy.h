// SPDX-License-Identifier: Apache-2.0

// Strategies: who runs next, and for how long.
//
// A strategy gets the threads that can run, with what each is about to do, and answers with one of
// them and the number of steps after which it wants to be asked again. It sees nothing else, no
// threads of the runtime and no options, and must be deterministic in what it sees and its seed:
// then a seed repeats a schedule (the test: tests/runtime/strategy_test.cc). The form is that of
// Shuttle's Scheduler (runnable tasks in, one choice out).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "recording/words.h"
#include "runtime/threads/candidate.h"

namespace foretell::rt {

enum class Moment : uint8_t {
  budget_over,      // the current thread has used its steps
  synchronization,  // it is about to synchronize
  yielded,          // it would rather have others run
  gone,             // it cannot go on: blocked, ended or external
};

struct Decision {
  Moment moment;
  Candidate* const* runnable;  // in order of creation
  size_t count;                // at least 1
  Candidate* current;          // who ran last, runnable or not; null if nobody did
  uint64_t budget_left;        // steps that `current` was given and has not taken
};

struct Choice {
  size_t index;  // of the chosen one in `runnable`
  uint64_t budget;
};

class Strategy {
 public:
  // A thread that was not there before.
  virtual void on_start(Candidate&) {}
  // Whether at a synchronization the current thread always goes on as if nobody had asked.
  virtual bool ignores_synchronization() const { return false; }
  virtual Choice choose(const Decision& decision) = 0;

 protected:
  ~Strategy() = default;
};

struct StrategyParameters {
  uint64_t seed = 1;
  uint64_t quantum = 20000;  // steps until another thread gets its turn, on average
  uint64_t depth = 3;        // pct: changes of priority plus one
  uint64_t length = 10000;   // pct: among how many steps the changes are spread
};

// Room for any strategy.
struct alignas(16) StrategyStorage {
  char bytes[256];
};
// In `storage`, in which there is nothing to be destroyed later.
Strategy* make_strategy(recording::StrategyKind kind, const StrategyParameters& parameters,
                        StrategyStorage& storage);

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// Threads that are counted instead of joined.
//
// - Threads alive: whoever starts a thread adds one before, and the thread takes one away at its end. Who then
//   finds zero knows that what the threads did before is over.
// - Threads done: each thread adds one. Who finds as many as a loop has started knows the same.
//
// Both by atomic operations, or in sections of one lock.
#pragma once

#include "static_analysis/races/analyses.h"
#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis {

class JoinCounters {
 public:
  explicit JoinCounters(const PairRules& rules);

  // Whether one of the two, by the starter, is executed only after all threads of the other's kind
  // have counted themselves out, and the other only before that.
  bool order(const Access& a, const Access& b) const;

 private:
  struct Change {
    const llvm::Instruction* write = nullptr;
    ThreadId thread{};
    int64_t amount = 0;
  };
  struct Counter {
    bitcode::Target cell;
    std::vector<Change> changes;
  };
  void add_counter(const bitcode::Target& cell, const Access& like);
  std::optional<int64_t> amount_of(const llvm::Instruction& write,
                                   const bitcode::Target& cell) const;
  bool change_in_turn(const Counter& counter) const;
  bool starts_are_counted(const Counter& counter) const;
  void add_tests(const Counter& counter, ThreadId parent, const llvm::SCEV* started);
  const llvm::SCEV* rounds_of(const AbstractThread& thread) const;

  // What is known in a block, and in all it dominates.
  struct Known {
    const llvm::BasicBlock* block = nullptr;
    ThreadId child{};
    const llvm::Instruction* last = nullptr;  // of the child: its change
  };
  const PairRules& rules_;
  mutable LoopAnalysesCache analyses_;
  std::vector<Known> known_;
};

}  // namespace foretell::static_analysis

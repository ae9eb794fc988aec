// SPDX-License-Identifier: Apache-2.0

// What depends on the schedule without a conflict in memory: results of tries and timed
// operations, serial threads of barriers, values of semaphores, clocks, the order of output and of
// random numbers, addresses and threads as numbers, and how far other threads came when the process
// ends.
#pragma once

#include "static_analysis/determinism/determinism.h"
#include "static_analysis/races/pairs.h"

namespace foretell::static_analysis {

struct Source {
  Nondeterminism kind{};
  const llvm::Instruction* first = nullptr;
  ThreadId thread{};
  const llvm::Instruction* second = nullptr;  // of an order
  ThreadId second_thread{};
  std::string what, why, remedy;
};

std::vector<Source> find_sources(const PairRules& rules);

// Creating and joining threads, taking and giving back locks and the like succeed. Replaces what
// they return, in the prepared program.
void assume_success(llvm::Module& module);

}  // namespace foretell::static_analysis

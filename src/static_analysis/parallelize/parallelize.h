// SPDX-License-Identifier: Apache-2.0

// Which loops of a sequential program can run in parallel: STATICDET 7.
//
// Two iterations of a loop are looked at as if they were threads. They may run in parallel if no
// access of one conflicts with one of another, and if nothing is handed from one to the next. The
// advice is about every input; whatever is not proved is an obstacle with its line.
//
// This header is free of LLVM: it is what the command includes.
#pragma once

#include "static_analysis/check.h"

namespace foretell::static_analysis {

struct ParallelizeOptions {
  std::string entry = "main";
  unsigned threads = 8;  // for the speed-up to expect
};

struct Obstacle {
  Place place;
  std::string why;
};

struct LoopAdvice {
  Place place;
  std::string function;
  bool is_parallel = false;
  // An enclosing loop can run in parallel, too.
  bool is_inside_parallel = false;
  // The threads start sooner than the loop would end without them.
  bool is_worth_it = false;
  std::vector<std::string> privates;                            // variables that need copies
  std::vector<std::pair<std::string, std::string>> reductions;  // operator, variable
  std::vector<Obstacle> obstacles;
  double share = 0;     // of the program's work, by trip counts; 100 where they are not known
  double speed_up = 1;  // to expect of the whole program
};

struct ParallelizeResult {
  std::vector<LoopAdvice> loops;  // the most work first
};

Result<ParallelizeResult> parallelize(const std::vector<BitcodeFile>& files,
                                      const ParallelizeOptions& options);

}  // namespace foretell::static_analysis

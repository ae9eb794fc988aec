// SPDX-License-Identifier: Apache-2.0

// What `foretell check` asks about determinism, and what it answers.
//
// A program is deterministic if, for each input, every schedule in which it terminates has the same
// reads, the same output and the same final memory. The verdict is a proof; "possibly
// nondeterministic" lists what no rule explains.
//
// This header is free of LLVM: it is what the command includes.
#pragma once

#include "static_analysis/check.h"

namespace foretell::static_analysis {

struct DeterminismOptions {
  CheckOptions common;
  // Relaxations (weak.h): what an observer can tell apart, and of what.
  std::string weak;                    // an observation; none: values themselves
  std::vector<std::string> variables;  // none: all
  std::vector<std::string> threads;    // by the name of their function, or "T1"; none: all
  std::vector<std::string> states;     // "reads", "final"; none: both
  int level = 1;                       // of the abstract memory (memory/cells.h)
  bool as_in_paper = false;            // the document's property, for comparison

  bool is_relaxed() const {
    return !weak.empty() || !variables.empty() || !threads.empty() || !states.empty();
  }
};

enum class DeterminismVerdict : uint8_t {
  deterministic,
  same_in_any_order,  // by reductions, whose results do not depend on the order of their operands
  weakly_deterministic,  // what was asked for is: an observation, some variables, threads or states
  possibly_nondeterministic,
};

// What may differ from schedule to schedule.
enum class Nondeterminism : uint8_t {
  memory,   // what a location holds
  result,   // what an operation returns
  order,    // of calls with a state of their own: output, random numbers
  address,  // a number that is an address or a thread
  exit,     // how far a thread came when the process ended
};

// Unordered accesses, grouped by location; or one or more calls.
struct NondeterminismReport {
  Nondeterminism kind{};
  std::string variable;  // or what it is about: "the order of output"
  std::vector<AccessReport> accesses;
  std::string why, remedy;
};

struct ReductionReport {
  std::string variable, operation;
  std::vector<Place> places;
};

struct DeterminismResult {
  DeterminismVerdict verdict = DeterminismVerdict::possibly_nondeterministic;
  std::vector<NondeterminismReport> reports;
  std::vector<ReductionReport> reductions;
  std::vector<Assumption> unaccepted, accepted;
  uint64_t threads = 0, accesses = 0, instructions = 0;
  std::vector<std::pair<std::string, double>> phases;  // milliseconds, for --stats
};

// Of LLVM bitcode or assembly; or a program or an object file that `foretell cc` made.
Result<DeterminismResult> check_determinism(const std::vector<BitcodeFile>& files,
                                            const DeterminismOptions& options);

}  // namespace foretell::static_analysis

// SPDX-License-Identifier: Apache-2.0

// The driver: from a trace to findings with verdicts.
//
//   0. of a long trace, or if asked, one pass finds the locations that matter to reorderings; the
//      plain accesses of all others are left out of everything below, which changes no verdict;
//   1. one pass over the stream, or as many as they ask for, feeds all selected analyses; their
//      proposals are merged. A trace below the in-memory limit is decoded and normalized only once;
//   2. the judge tries to build and check an interleaving for each merged proposal: on the whole
//      trace when it fits into memory, on one stretch of it after the other when it does not;
//   3. the events of what is reported are described in names.
// Memory is bounded by the state of the analyses and the in-memory limit, not by the trace.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/registry.h"
#include "finding/result.h"
#include "judge/judge.h"
#include "pipeline/properties.h"
#include "trace/kept_trace.h"
#include "trace/stream.h"

namespace foretell::pipeline {

// What should be atomic, in addition to the blocks that a trace declares.
struct AtomicChoice {
  bool all_functions = false;
  // Functions, with or without their scopes and parameters: "add", "Account::add(int)".
  std::vector<std::string> functions = {};
};

// Whether only accesses of contended locations are looked at (clocks/contended_cells.h). No verdict
// depends on it, but what is merely suspected or dismissed does.
enum class ContendedOnly : uint8_t {
  if_long,  // if the whole trace is too long to be held in memory, and no function is to be atomic
  always,
};

struct DriverOptions {
  std::vector<const analysis::AnalysisEntry*> analyses;
  analysis::AnalysisOptions analysis;
  AtomicChoice atomic;
  bool infer_atomic = false;  // name functions that could be declared atomic (all_functions is set)
  bool every_pair = false;    // no merging by sites
  ContendedOnly contended_only = ContendedOnly::if_long;
  PropertyOptions properties;
  bool trials = false;  // also look for what only the real program can decide (trials.h)
  judge::JudgeOptions judge;
  unsigned jobs = 0;  // threads that judge; 0: as many as there are processors
  std::optional<std::chrono::nanoseconds> budget;  // what it leaves unexamined is in the warnings
  const std::atomic<bool>* stop = nullptr;         // the same if it becomes true
  uint64_t in_memory_events = trace::kInMemoryEvents;  // up to here the judge sees the whole trace
  uint64_t excerpt_events = uint64_t{1} << 22;  // else stretches of up to twice as many events
  // Below 0: how much is done of the phase is not known.
  std::function<void(std::string_view phase, double fraction)> progress = [](auto, auto) {};

  // Why an analysis ended early.
  std::string_view why_over() const {
    return stop != nullptr && *stop ? "interrupted" : "the budget was used up";
  }
};

Result<finding::AnalysisResult> analyze(trace::TraceStream stream, const DriverOptions& options);

}  // namespace foretell::pipeline

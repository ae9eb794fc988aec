// SPDX-License-Identifier: Apache-2.0

// The Tiddle compiler: traces in, a complete program out (PREDICT, part VII).
//
// A run of the program has exactly the operations of the trace in exactly its order. Every
// operation is one step of a lockstep; a step begins when the one before has ended. What the
// program uses to keep the order is hidden from race detectors (see each target), so that a
// detector sees the operations of the trace and no other synchronization.
//
// main is not a thread of the trace. It starts every thread that no event forks, and at the end
// joins every thread that no event joins.
//
// If no program can force the order of a trace, the trace is refused with the reason. It is never
// compiled into a program that does something else.
#pragma once

#include <span>
#include <string>

#include "base/diagnostic.h"
#include "trace/trace.h"

namespace foretell::tiddle {

enum class TargetLanguage { cxx, java };
enum class Noise { none, sleep, yield };

struct CompileOptions {
  TargetLanguage language = TargetLanguage::cxx;
  std::string name = "Test";         // the Java class; in C++ only a comment
  bool lockstep = true;              // false: no barriers, a small nondeterministic program
  Noise noise = Noise::none;         // before each operation; only without lockstep
  bool blocks_as_functions = false;  // atomic blocks become functions instead of annotations
  bool log_operations = false;       // each operation prints its Tiddle line while it has its turn
};

// Raw events and the tables their ids live in. Neither is copied.
struct TraceView {
  const trace::TraceTables& tables;
  std::span<const trace::Event> events;
};

Result<std::string> compile_tiddle(const trace::Trace& raw, const CompileOptions& options);

// Several traces, run one after the other by one program. Diagnostics say "trace 2, event 5".
Result<std::string> compile_tiddle(std::span<const TraceView> traces,
                                   const CompileOptions& options);

}  // namespace foretell::tiddle

// SPDX-License-Identifier: Apache-2.0

// The options that choose analyses and bound their work; `analyze` and `run` share them.
#pragma once

#include <chrono>
#include <string>

#include "cli/command.h"
#include "pipeline/driver.h"

namespace foretell::cli {

// "30", "30s", "500ms", "2m", "1.5h".
Result<std::chrono::nanoseconds> parse_time(const std::string& text);

struct AnalysisChoice {
  std::string analyses = "default";
  std::string budget;
  unsigned jobs = 0;
  bool smt = false;
  std::string atomic;
  std::string atomic_file;
  bool infer_atomic = false;
  bool contended = false;
  std::string reads = "same-value";

  // `jobs` may be of another kind of work than judging, the budget of another one than the command's.
  struct Texts {
    std::string jobs = "Threads that judge (default: one per processor)";
    std::string budget =
        "End the whole command after this time, like 30s or 2m; a program\n"
        "is ended after half of it, and the report says what was not examined";
  };
  void add_to(CLI::App& command, const Texts& texts);
  void add_to(CLI::App& command) { add_to(command, Texts()); }
  Result<pipeline::DriverOptions> options() const;

 private:
  Result<pipeline::AtomicChoice> atomic_functions() const;
};

// --strict: whether something was not seen or not examined, so that finding nothing means little.
bool is_incomplete(const finding::AnalysisResult& result);
inline constexpr const char* kStrictHelp =
    "Exit with 69 if nothing was seen, or the trace or the analysis\nis incomplete";

}  // namespace foretell::cli

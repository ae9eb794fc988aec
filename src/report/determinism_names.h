// SPDX-License-Identifier: Apache-2.0

// What the reports of `foretell determinism` have in common: names, values, and the verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/determinism/determinism.h"

namespace foretell::report {

enum class DeterminismVerdict : uint8_t {
  not_deterministic,
  undecided,    // nothing found, but not everything was decided
  same_values,  // other writes that are seen write the same
  deterministic,
};

// How many reads can return something else, and what follows.
struct OutcomeCounts {
  uint64_t reads = 0, at_end = 0;
  uint64_t harmless = 0, undecided = 0;  // of both
  DeterminismVerdict verdict = DeterminismVerdict::deterministic;
};
OutcomeCounts count_outcomes(const analysis::DeterminismResult& result);

class DeterminismNames {
 public:
  // Files below `directory` are named as seen from there.
  DeterminismNames(const trace::Trace& trace, std::string_view directory);

  // "a.cc:12:5", or "event 7" without a site.
  std::string place(const trace::Event& e) const;
  // As the program has it, if that is known, else the location.
  std::string variable(const analysis::ReadOutcome& read) const;
  // What the read returns if it sees that write; kNoPosition: if it comes before all.
  std::optional<uint64_t> value(LocationId location, judge::Position writer) const;

  const trace::Trace& trace() const { return trace_; }

 private:
  const trace::Trace& trace_;
  std::string prefix_;
  std::vector<std::optional<uint64_t>> initial_;  // by location
};

}  // namespace foretell::report

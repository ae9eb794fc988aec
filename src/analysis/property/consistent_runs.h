// SPDX-License-Identifier: Apache-2.0

// Consistent runs: every run that the recorded one could have been, with a monitor watching each.
//
// SLICED, section 3.4 and figure 6: runs are generated level by level. A level is the set of cuts
// with the same number of steps; each cut carries the state of the monitor, and equal cuts are one.
// A level is made from those before it and then forgotten, except for how its cuts came about,
// which takes 8 bytes for each and gives the witness of a violation.
//
// Differences to the figure, none of which changes what is found:
//   - Steps that commute with everything that other threads still do are done at once, and where
//     the next steps of some threads commute with all that the others still do, only those threads
//     are tried (persistent sets: Godefroid, "Partial-order methods for the verification of
//     concurrent systems", 1996). Visible steps commute with no other visible step.
//   - A cut whose monitor can no longer be violated is not followed.
// Exponential in the threads if they hardly synchronize. Where a level has more cuts than the limit,
// those nearest to the recorded run are kept (the causality cone: likely runs first), and the result
// says that runs were left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/property/run_model.h"
#include "property_language/property.h"

namespace foretell::analysis {

struct RunLimits {
  uint64_t most_cuts = 2'000'000;
  size_t widest_level = 50'000;
  std::function<bool()> goes_on = [] { return true; };
};

// What came of all runs.
struct RunsOutcome {
  enum class Answer : uint8_t {
    violated,   // `run` is one that violates the property; of `some_run`: no run satisfies it
    satisfied,  // no run violates it; of `some_run`: one satisfies it
    unknown,    // runs were left out
  };
  Answer answer = Answer::satisfied;
  judge::Interleaving run = {};  // with all its steps; of `violated` and all_runs
  bool at_end = false;           // it is violated because it ends there
  bool left_out = false;         // some runs were not looked at
  uint64_t cuts = 0;
  uint64_t levels = 0;
  uint64_t widest = 0;        // cuts of a level
  uint64_t packed_bytes = 0;  // of a cut
};

// The letters of the steps a property sees: by position, kNoLetter for the others.
inline constexpr property_language::Letter kNoLetter = ~property_language::Letter{0};
using Letters = std::vector<property_language::Letter>;

RunsOutcome check_all_runs(const RunModel& model, const property_language::Property& property,
                           const Letters& letters, const RunLimits& limits);

// The recorded run alone. `until`: the number of events up to the one that violates it.
struct RecordedOutcome {
  bool violated = false;
  bool at_end = false;
  judge::Position until = 0;
};
RecordedOutcome check_recorded_run(const judge::TraceFacts& facts,
                                   const property_language::Property& property,
                                   const Letters& letters);

}  // namespace foretell::analysis

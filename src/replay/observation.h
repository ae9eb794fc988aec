// SPDX-License-Identifier: Apache-2.0

// Whether a replay showed what was expected of it.
#pragma once

#include <cstdint>
#include <string>

#include "launch/launch.h"
#include "replay/expectation.h"

namespace foretell::replay {

struct Observation {
  enum class Kind : uint8_t {
    expected,  // `text` says how it was seen
    opposite,  // what the finding claims is not so
    another,   // the same kind of thing, but elsewhere
    nothing,   // `text` says what was seen instead; may be empty
  };
  Kind kind = Kind::nothing;
  std::string text = {};
};

// How the replay ended.
struct ReplayedRun {
  uint64_t steps = 0;       // of the schedule; 0: others ran as well, and its end is the run's
  bool deadlocked = false;  // nobody could go on
  launch::LaunchEnd end = {};
};

Result<Observation> observe(const Expectation& expectation, trace::TraceReader& replay,
                            const ReplayedRun& run);

}  // namespace foretell::replay

// SPDX-License-Identifier: Apache-2.0

// Minimizer: the fewest thread switches that still reproduce.
//
// Steps of one thread keep their order whatever is moved, so any rearrangement of a schedule's runs
// is again a schedule; only a replay can tell whether it still shows the error. In the manner of
// delta debugging (Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, 2002,
// section 3.2) a window of runs is grouped by thread, so that it has as many runs as threads; the
// window is the whole schedule at first, then halves, quarters, down to three runs. After each
// success the search starts again with the result. Then the last runs of threads are left out, one
// by one.
//
// Deterministic. The result is a local minimum: no single window can be grouped any further. Cost:
// at most `most_tries` replays.
#pragma once

#include <cstdint>
#include <functional>

#include "schedule/schedule.h"

namespace foretell::schedule {

struct MinimizeOptions {
  uint64_t most_tries = 200;
  // This many steps at the end stay where they are: the racing accesses.
  uint64_t pinned_steps = 0;
};

struct Minimized {
  Schedule schedule;
  uint64_t tries = 0;
  bool cut_short = false;  // the tries ran out
};

// `schedule` must reproduce; so does the result.
Minimized minimize(const Schedule& schedule,
                   const std::function<bool(const Schedule&)>& still_reproduces,
                   const MinimizeOptions& options = {});

}  // namespace foretell::schedule

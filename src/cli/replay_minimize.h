// SPDX-License-Identifier: Apache-2.0

// foretell replay --minimize: the fewest thread switches that still show it.
#pragma once

#include <chrono>

#include "cli/replay_subject.h"
#include "replay/replayer.h"

namespace foretell::cli {

struct MinimizeLimits {
  uint64_t most_tries = 200;
  std::optional<std::chrono::milliseconds> time_limit;  // of a replay
};

// `first` is what came of the schedule as it is. Writes the smallest one that shows the same beside
// it and says where.
Result<void> minimize_replay(const replay::Replayer& replayer, const ReplaySubject& subject,
                             const replay::ReplayResult& first, const MinimizeLimits& limits);

}  // namespace foretell::cli

// foretell replay --minimise: the fewest thread switches that still show it.
#pragma once

#include <chrono>

#include "cli/replay_subject.h"
#include "replay/replayer.h"

namespace foretell::cli {

struct MinimiseLimits {
  uint64_t most_tries = 200;
  std::optional<std::chrono::milliseconds> time_limit;  // of a replay
};

// `first` is what came of the schedule as it is. Writes the smallest one that shows the same beside
// it and says where.
Result<void> minimise_replay(const Replayer& replayer, const ReplaySubject& subject,
                             const ReplayResult& first, const MinimiseLimits& limits);

}  // namespace foretell::cli

// SPDX-License-Identifier: Apache-2.0

// foretell test --explore: what the processes of a test run do under other schedules.
//
// When the tests have ended, each process that came to its end is explored like the program of
// `foretell explore`: with its arguments, folder, environment and standard input, one process after
// the other, because they may want the same files. A further run that shows something becomes a
// run of its own below that of its process, and its findings are merged like those of processes.
#pragma once

#include <functional>

#include "cli/replay_options.h"
#include "explore/explorer.h"
#include "test_runs/session.h"

namespace foretell::cli {

struct ExploreTests {
  size_t most_runs = 100;                        // of each process
  std::chrono::milliseconds time_limit{10'000};  // of a run
  unsigned jobs = 1;                             // runs at the same time
  const pipeline::DriverOptions& driver;
  const ReplayOptions& replays;
  std::function<void(const std::string& what)> progress;
};

// Adds the runs to `runs`; returns for each explored process how far that went.
Result<std::vector<Diagnostic>> explore_tests(const ExploreTests& how,
                                              std::vector<test_runs::ProcessRun>& runs);

}  // namespace foretell::cli

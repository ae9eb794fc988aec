// SPDX-License-Identifier: Apache-2.0

// foretell replay --gdb and --print-launch-json: the replay under a debugger.
#pragma once

#include "cli/replay_subject.h"
#include "replay/replayer.h"

namespace foretell::cli {

// Runs gdb, which stops before the last step, of a race where both accesses are pending.
Result<ExitCode> debug_replay(const replay::Replayer& replayer, const ReplaySubject& subject);
// The same for VS Code, on standard output.
Result<void> print_launch_json(const replay::Replayer& replayer, const ReplaySubject& subject);

}  // namespace foretell::cli

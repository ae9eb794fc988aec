// SPDX-License-Identifier: Apache-2.0

// What a confirmed finding does to the program. The program continues after the end of the
// schedule, and its end is compared with that of the recorded run. For a race both orders are
// tried, because often only one of them does harm. If a read returns something else and the program
// ends the same way, its output is compared with that of the recorded run.
#pragma once

#include <string>

#include "replay/replayer.h"

namespace foretell::replay {

// "with T2's access first, the program is killed by SIGSEGV (Segmentation fault)"; empty if it ends
// as it did.
Result<std::string> consequence_of(const Replayer& replayer, const schedule::Schedule& schedule,
                                   const Expectation& expectation, const ReplayRequest& request);

// "is killed by SIGABRT (Aborted)", "deadlocks", "exits with 1 instead of 0"; empty if the program
// ended as it did when it was recorded, or without an error.
std::string bad_end(const ReplayResult& replayed, const launch::RunInfo& info);

}  // namespace foretell::replay

// SPDX-License-Identifier: Apache-2.0

// A replay under a debugger: the arguments for gdb, and the data that its commands
// (share/gdb/foretell.py) show.
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"
#include "replay/replayer.h"

namespace foretell::replay {

struct DebugPlan {
  std::string name;                  // "race-1"
  std::string program;               // file to debug
  std::vector<std::string> options;  // gdb's commands before the program is started
  std::vector<std::pair<std::string, std::string>> environment;  // added to the debugger's own
};

// Writes the steps of the schedule, as far as a person follows them, to `file`. `finding` may be
// null: then they have threads only.
Result<void> write_steps(const std::string& file, const launch::RunDirectory& directory,
                         const std::string& name, const schedule::Schedule& schedule,
                         const finding::Finding* finding);

// `schedule_file` and `steps_file` must stay until the debugger has ended.
Result<DebugPlan> plan_debugging(const Replayer& replayer, const std::string& name,
                                 const std::string& schedule_file, const std::string& steps_file,
                                 uint64_t pause_at);

// .vscode/launch.json with the one configuration.
std::string to_launch_json(const DebugPlan& plan, const launch::RunInfo& info);

}  // namespace foretell::replay

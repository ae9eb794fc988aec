// SPDX-License-Identifier: Apache-2.0

// The commands about sets of schedules, and the subcommands of `foretell schedules` that read a database.
#pragma once

#include "cli/command.h"

namespace foretell::cli {

void add_constrain(CLI::App& app, ExitCode& exit_code);

void add_schedules_show(CLI::App& schedules, ExitCode& exit_code);
void add_schedules_explain(CLI::App& schedules, ExitCode& exit_code);
void add_schedules_draw(CLI::App& schedules, ExitCode& exit_code);
void add_schedules_tests(CLI::App& schedules, ExitCode& exit_code);
void add_schedules_verify(CLI::App& schedules, ExitCode& exit_code);

}  // namespace foretell::cli

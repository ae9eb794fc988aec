// SPDX-License-Identifier: Apache-2.0

// foretell schedules verify: checks a database without what made it.

#include "base/output.h"
#include "cli/schedule_database.h"
#include "cli/schedules.h"

namespace foretell::cli {

void add_schedules_verify(CLI::App&, ExitCode&) {}

}  // namespace foretell::cli

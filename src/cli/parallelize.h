// SPDX-License-Identifier: Apache-2.0

// foretell parallelize.
#pragma once

#include "cli/command.h"

namespace foretell::cli {

void add_parallelize(CLI::App& app, ExitCode& exit_code);

}  // namespace foretell::cli

// foretell test.
#pragma once

#include "cli/command.h"

namespace foretell::cli {

void add_test(CLI::App& app, ExitCode& exit_code);

}  // namespace foretell::cli

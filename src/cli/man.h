// foretell man.
#pragma once

#include "cli/command.h"

namespace foretell::cli {

void add_man(CLI::App& app, ExitCode& exit_code);

}  // namespace foretell::cli

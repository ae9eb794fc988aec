// foretell tiddle: text traces. Check, print, compile, enumerate, generate.
#include "cli/command.h"
namespace foretell::cli {
void add_tiddle(CLI::App& app, ExitCode&) {
  app.add_subcommand("tiddle");
}
}  // namespace foretell::cli

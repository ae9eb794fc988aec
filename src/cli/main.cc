// SPDX-License-Identifier: Apache-2.0

// foretell: one word before the command. Each command lives in its own file of this folder.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "cli/command.h"
#include "cli/parallelize.h"
#include "cli/schedules.h"
#include "cli/usage.h"

namespace foretell::cli {
namespace {

constexpr const char* kExitCodes = R"(
Exit codes: 0 clean, 64 bad usage, 65 unreadable or mismatched input, 66 findings,
69 cut short (with --strict), 70 internal error, 74 output could not be written,
130 interrupted with nothing found; run, test and record otherwise exit as the program did.)";

// Cuts the program off the command lines of commands that run one.
void take_program(int& argc, char** argv) {
  if (argc < 2 || !takes_program(argv[1])) return;
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  if (dashes == end) return;
  program_words().assign(dashes + 1, end);
  argc = static_cast<int>(dashes - argv);
}

int run(int argc, char** argv) {
  // Before anything else looks at the arguments: they are the compiler's.
  if (const auto compiled = compile_instead(argc, argv)) return static_cast<int>(*compiled);

  // A closed pipe is reported by the write that meets it.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app("Foretell: finds the concurrency errors a passing run could have had.", "foretell");
  app.set_version_flag("--version", "foretell " FORETELL_VERSION);
  app.require_subcommand(1);
  app.footer(std::string("Example: foretell run -- ./program arguments\n") + kExitCodes);
  app.get_formatter()->column_width(34);

  auto exit_code = ExitCode::clean;
  add_compile(app);
  take_program(argc, argv);
  add_run(app, exit_code);
  add_test(app, exit_code);
  add_explore(app, exit_code);
  add_record(app, exit_code);
  add_replay(app, exit_code);
  add_analyze(app, exit_code);
  add_determinism(app, exit_code);
  add_check(app, exit_code);
  add_parallelize(app, exit_code);
  add_explain(app, exit_code);
  add_report(app, exit_code);
  add_view(app, exit_code);
  add_baseline(app, exit_code);
  add_runs(app, exit_code);
  add_dump(app, exit_code);
  add_property(app, exit_code);
  add_tiddle(app, exit_code);
  add_schedules(app, exit_code);
  add_constrain(app, exit_code);
  add_list(app, exit_code);
  add_doctor(app, exit_code);
  add_completion(app, exit_code);
  add_man(app, exit_code);
  refuse_negative_numbers(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and --version arrive here too.
    if (error.get_exit_code() == 0) return app.exit(error);
    return static_cast<int>(report(explain_usage(app, error, {argv + 1, argv + argc})));
  }
  return static_cast<int>(exit_code);
}

}  // namespace
}  // namespace foretell::cli

int main(int argc, char** argv) {
  try {
    const int status = foretell::cli::run(argc, argv);
    if (std::fflush(stdout) != 0) return static_cast<int>(foretell::ExitCode::io_error);
    return status;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "foretell: internal error: %s\n", error.what());
  }
  return static_cast<int>(foretell::ExitCode::internal_error);
}

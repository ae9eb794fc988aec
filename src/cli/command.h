// SPDX-License-Identifier: Apache-2.0

// What the files of this folder share: one file per command, each with its help text.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "trace/reader.h"

namespace foretell::cli {

// Each adds one subcommand; its callback leaves the exit code in `exit_code`.
void add_run(CLI::App& app, ExitCode& exit_code);
void add_test(CLI::App& app, ExitCode& exit_code);
void add_explore(CLI::App& app, ExitCode& exit_code);
void add_record(CLI::App& app, ExitCode& exit_code);
void add_replay(CLI::App& app, ExitCode& exit_code);
void add_analyze(CLI::App& app, ExitCode& exit_code);
void add_determinism(CLI::App& app, ExitCode& exit_code);
void add_check(CLI::App& app, ExitCode& exit_code);
void add_explain(CLI::App& app, ExitCode& exit_code);
void add_report(CLI::App& app, ExitCode& exit_code);
void add_view(CLI::App& app, ExitCode& exit_code);
void add_baseline(CLI::App& app, ExitCode& exit_code);
void add_runs(CLI::App& app, ExitCode& exit_code);
void add_dump(CLI::App& app, ExitCode& exit_code);
void add_property(CLI::App& app, ExitCode& exit_code);
void add_tiddle(CLI::App& app, ExitCode& exit_code);
void add_list(CLI::App& app, ExitCode& exit_code);
void add_doctor(CLI::App& app, ExitCode& exit_code);
void add_completion(CLI::App& app, ExitCode& exit_code);
void add_man(CLI::App& app, ExitCode& exit_code);
void add_schedules(CLI::App& app, ExitCode& exit_code);
void add_compile(CLI::App& app);

// `foretell cc|c++ ...` and foretell-clang[++]: becomes the compiler. Returns only if the command
// is another one (nothing), or if there is something wrong with it.
std::optional<ExitCode> compile_instead(int argc, char** argv);

// Prints a diagnostic to standard error and says how to exit.
ExitCode report(const Diagnostic& diagnostic);
ExitCode report(const Result<void>& result);

// The program and its arguments: what stands after "--" on the command line of run, record and
// replay. Set by main before options are parsed, because there "--" is no separator of our own
// positional arguments.
std::vector<std::string>& program_words();
bool takes_program(std::string_view command);
Result<std::vector<std::string>> required_program(std::string_view command);

// Where a trace comes from: the positional TRACE and --input-format.
struct TraceInput {
  std::string path;
  std::string format;

  void add_to(CLI::App& command);
  Result<std::unique_ptr<trace::TraceReader>> open() const;
};

// The trace formats: "ftrace, tiddle, ..."
std::string format_names();

// Usage errors found after parsing.
template <class... Args>
std::unexpected<Diagnostic> usage_error(fmt::format_string<Args...> format, Args&&... args) {
  Diagnostic diagnostic{fmt::format(format, std::forward<Args>(args)...), ""};
  diagnostic.exit_code = ExitCode::usage;
  return std::unexpected(std::move(diagnostic));
}

}  // namespace foretell::cli

// SPDX-License-Identifier: Apache-2.0

// foretell check --races FILE...: whether a program is free of data races in every schedule and for
// every input.

#include "base/output.h"
#include "cli/bitcode_library.h"
#include "cli/check_sources.h"
#include "cli/check_text.h"
#include "cli/command.h"
#include "static_analysis/library.h"

namespace foretell::cli {
namespace {

struct CheckCommand {
  std::vector<std::string> files, flags;
  bool races = false;
  bool stats = false;
  static_analysis::CheckOptions options;

  Result<ExitCode> run() const;
};

Result<ExitCode> CheckCommand::run() const {
  if (!races)
    return usage_error(
        "say what to check: --races. Verdicts about determinism are not available yet");
  FORETELL_TRY(bitcode, bitcode_of(files, flags));
  FORETELL_TRY(function, bitcode_function(static_analysis::kCheckRaces));
  Result<static_analysis::CheckResult> result;
  reinterpret_cast<static_analysis::CheckRaces*>(function)(bitcode, options, result);
  if (!result) return std::unexpected(std::move(result).error());
  const std::string subject =
      files.size() == 1 ? files.front() : fmt::format("{} files", files.size());
  if (auto written = write_text("-", races_text(*result, subject, stats)); !written)
    return std::unexpected(std::move(written).error());
  return result->verdict == static_analysis::Verdict::proved ? ExitCode::clean : ExitCode::findings;
}

}  // namespace

void add_check(CLI::App& app, ExitCode& exit_code) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* check = app.add_subcommand(
      "check", "Proves a program free of data races, for every schedule and input");
  check->footer("Example: foretell check --races prog.c -- -Iinclude");
  check
      ->add_option("FILE", command->files,
                   "Sources (compiled without optimization), LLVM bitcode, or a program that "
                   "`foretell cc` made")
      ->required();
  check->add_flag("--races", command->races, "Data races, as C11 defines them");
  check->add_option("--entry", command->options.entry, "The function the program begins with")
      ->default_str("main");
  check
      ->add_option("--assume", command->options.assumed,
                   "Functions without a body that touch nothing others touch; 'all': every one")
      ->delimiter(',');
  check->add_flag("--stats", command->stats, "How long each phase took");
  check->add_flag("--dump", command->options.dump)->group("");
  check->add_option("-m", command->flags, "32 or 64: the data model of sources")
      ->transform([](const std::string& width) { return "-m" + width; });
  check->callback([command, &exit_code] {
    command->flags.insert(command->flags.end(), program_words().begin(), program_words().end());
    auto result = command->run();
    exit_code = result ? *result : report(result.error());
  });
}

}  // namespace foretell::cli

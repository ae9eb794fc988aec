// SPDX-License-Identifier: Apache-2.0

// foretell check FILE...: whether a program has the same result in every schedule; with --races,
// whether it is free of data races in every schedule and for every input.

#include "base/output.h"
#include "cli/bitcode_library.h"
#include "cli/check_determinism.h"
#include "cli/check_sources.h"
#include "cli/check_text.h"
#include "cli/command.h"
#include "cli/report_options.h"
#include "static_analysis/library.h"

namespace foretell::cli {
namespace {

struct CheckCommand {
  std::vector<std::string> files, flags;
  std::string formats = "text";
  bool races = false;
  bool stats = false;
  static_analysis::DeterminismOptions options;

  Result<ExitCode> run() const;

 private:
  std::string subject() const {
    return files.size() == 1 ? files.front() : fmt::format("{} files", files.size());
  }
  Result<ExitCode> check_races(const std::vector<static_analysis::BitcodeFile>& bitcode) const;
  Result<ExitCode> check_determinism(
      const std::vector<static_analysis::BitcodeFile>& bitcode) const;
};

Result<ExitCode> CheckCommand::run() const {
  if (races && (options.is_relaxed() || options.as_in_paper))
    return usage_error(
        "--races has no observers: --weak, --vars, --threads, --states and --paper are about "
        "determinism");
  std::vector<std::string> with_names = flags;
  // Names of members are in full debug information only.
  if (!options.variables.empty()) with_names.push_back("-g");
  FORETELL_TRY(bitcode, bitcode_of(files, with_names));
  return races ? check_races(bitcode) : check_determinism(bitcode);
}

Result<ExitCode> CheckCommand::check_races(
    const std::vector<static_analysis::BitcodeFile>& bitcode) const {
  if (formats != "text") return usage_error("--races writes text only");
  FORETELL_TRY(function, bitcode_function(static_analysis::kCheckRaces));
  Result<static_analysis::CheckResult> result;
  reinterpret_cast<static_analysis::CheckRaces*>(function)(bitcode, options.common, result);
  if (!result) return std::unexpected(std::move(result).error());
  if (auto written = write_text("-", races_text(*result, subject(), stats)); !written)
    return std::unexpected(std::move(written).error());
  return result->verdict == static_analysis::Verdict::proved ? ExitCode::clean : ExitCode::findings;
}

Result<ExitCode> CheckCommand::check_determinism(
    const std::vector<static_analysis::BitcodeFile>& bitcode) const {
  FORETELL_TRY(targets, ReportOptions{.formats = formats}.targets());
  for (const ReportTarget& target : targets)
    if (target.kind != ReportTarget::Kind::text && target.kind != ReportTarget::Kind::json)
      return usage_error("check writes text and json only");
  FORETELL_TRY(function, bitcode_function(static_analysis::kCheckDeterminism));
  Result<static_analysis::DeterminismResult> result;
  reinterpret_cast<static_analysis::CheckDeterminism*>(function)(bitcode, options, result);
  const std::string observer = observer_of(options);
  if (!result) return std::unexpected(std::move(result).error());
  for (const ReportTarget& target : targets) {
    const std::string text = target.kind == ReportTarget::Kind::json
                                 ? determinism_json(*result, subject(), observer)
                                 : determinism_text(*result, subject(), observer, stats);
    if (auto written = write_text(target.path, text); !written)
      return std::unexpected(std::move(written).error());
  }
  return result->verdict == static_analysis::DeterminismVerdict::possibly_nondeterministic
             ? ExitCode::findings
             : ExitCode::clean;
}

}  // namespace

void add_check(CLI::App& app, ExitCode& exit_code) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* check = app.add_subcommand(
      "check", "Proves that a program has the same result in every schedule, or no data race");
  check->footer("Example: foretell check prog.c -- -Iinclude");
  check
      ->add_option("FILE", command->files,
                   "Sources (compiled without optimization), LLVM bitcode, or a program that "
                   "`foretell cc` made")
      ->required();
  check->add_flag("--races", command->races,
                  "Data races, as C11 defines them, instead of determinism");
  check->add_option("--format", command->formats, "text and json, each with :FILE")
      ->default_str("text");
  check
      ->add_option("--entry", command->options.common.entry, "The function the program begins with")
      ->default_str("main");
  check
      ->add_option("--assume", command->options.common.assumed,
                   "Functions without a body that touch nothing others touch; 'all': every one")
      ->delimiter(',');
  check->add_option("--weak", command->options.weak,
                    "Values may differ as long as an observer cannot tell: sign, parity, constant, "
                    "mod:N, or buckets:A,B,...");
  check
      ->add_option("--vars", command->options.variables,
                   "Only these variables, such as 'total' or 'account.amount'")
      ->delimiter(',');
  check
      ->add_option("--threads", command->options.threads,
                   "Only what these threads read: names of their functions, 'main', or 'T1'")
      ->delimiter(',');
  check
      ->add_option("--states", command->options.states,
                   "Only 'reads', or only what is there in the end: 'final'")
      ->delimiter(',')
      ->check(CLI::IsMember({"reads", "final"}));
  check
      ->add_option("--level", command->options.level,
                   "Of the memory that --weak computes with: 1, a value for each thread, or 2, one "
                   "value for all")
      ->check(CLI::IsMember({1, 2}))
      ->default_val(1);
  check->add_flag("--paper", command->options.as_in_paper,
                  "The property as STATICDET defines it: one writer of what is read");
  check->add_flag("--stats", command->stats, "How long each phase took");
  check->add_flag("--dump", command->options.common.dump)->group("");
  check->add_option("-m", command->flags, "32 or 64: the data model of sources")
      ->transform([](const std::string& width) { return "-m" + width; });
  check->callback([command, &exit_code] {
    command->flags.insert(command->flags.end(), program_words().begin(), program_words().end());
    auto result = command->run();
    exit_code = result ? *result : report(result.error());
  });
}

}  // namespace foretell::cli

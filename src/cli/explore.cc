// SPDX-License-Identifier: Apache-2.0

// foretell explore -- PROGRAM: run, predict, force what was predicted, and go on from there.

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/output.h"
#include "cli/analysis_options.h"
#include "cli/command_budget.h"
#include "cli/exploration_text.h"
#include "cli/explored_findings.h"
#include "cli/finding_names.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "finding/json_writer.h"
#include "launch/guardian.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

struct ExploreCommand {
  size_t most_runs = 1000;
  uint64_t seed = 1;
  double timeout = 10;
  std::string disk_limit;
  AnalysisChoice analyses;
  ReportOptions reports;
  TriageOptions triage;
  ReplayOptions replays;
  std::string output;
  bool strict = false;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  Result<ExitCode> run() const;
  Result<explore::ExplorerOptions> explorer_options(const pipeline::DriverOptions& driver,
                                                    const CommandBudget& budget) const;
};

Result<explore::ExplorerOptions> ExploreCommand::explorer_options(
    const pipeline::DriverOptions& driver, const CommandBudget& budget) const {
  explore::ExplorerOptions options{.most_runs = most_runs, .seed = seed, .jobs = analyses.jobs};
  options.deadline = budget.end_of(CommandBudget::kReplay);
  options.stop = &Interruptible::flag();
  options.analysis = driver;
  options.analysis.budget.reset();
  options.analysis.stop = options.stop;
  // Runs side by side leave no processor for threads that judge side by side.
  options.analysis.jobs = 1;
  return options;
}

Result<ExitCode> ExploreCommand::run() const {
  FORETELL_TRY(targets, reports.targets(kStandardError));
  FORETELL_TRY(program, required_program("explore"));
  FORETELL_TRY(driver, analyses.options());
  const CommandBudget budget(driver.budget);
  FORETELL_TRY(rules, triage.load());
  launch::ManyRunsRequest request{.command = program, .time_limit = time_limit(timeout)};
  if (!disk_limit.empty()) {
    FORETELL_TRY(bytes, parse_size(disk_limit));
    request.most_bytes = bytes;
  }
  FORETELL_TRY(directory,
               launch::RunDirectory::create(".foretell", output, launch::RunDirectory::Kind::test));
  // What is not finished is of no use to anybody.
  std::optional<launch::Guardian> guardian;
  guardian.emplace(launch::GuardedThings{.folder = fs::absolute(directory.path()).string()});
  request.folder = directory.path();
  FORETELL_TRY(runs, launch::ManyRuns::create(request));
  FORETELL_TRY(options, explorer_options(driver, budget));

  const Interruptible keeping_what_was_found;
  Progress progress;
  ExploredFindings found(directory, replays);
  std::string unchecked;
  explore::Explorer explorer(*runs, options);
  launch::LaunchEnd first_end;
  auto explored = explorer.explore(
      [&](explore::NewRun&& run) -> Result<void> {
        if (run.number == 1) {
          first_end = run.run.end;
          unchecked = run.run.unchecked;
        }
        return found.take(std::move(run), {.time_limit = replays.time_limit(),
                                           .deadline = options.deadline,
                                           .stop = options.stop,
                                           .compare_ends = true});
      },
      [&](const explore::Counts& counts) {
        progress.update(fmt::format("{} runs, {} behaviors, {} findings, {} alternatives left",
                                    counts.runs, counts.behaviors, found.count(), counts.left),
                        -1);
      });
  progress.clear();
  if (!explored) return std::unexpected(std::move(explored).error());
  // The program does not run any more.

  finding::AnalysisResult result = found.merged();
  result.trace.name = program[0];
  result.trace.file = runs->info().program;
  result.trace.unchecked = unchecked;
  const bool is_covered = explored->ending == explore::Ending::covered;
  (is_covered ? result.notes : result.warnings).push_back(exploration_note(*explored));
  rules.apply(result);
  auto done = name_findings(directory, runs->info().build, result);
  if (done) done = found.write(result, program);
  if (done) done = write_text(directory.findings(), to_json(result));
  if (done) done = directory.publish();
  guardian.reset();
  if (!done) return std::unexpected(std::move(done).error());
  const ReportContext context{.traces = found.traces(), .fail_on = rules.fail_on};
  done = reports.write(result, targets, context);
  if (done) done = triage.print_suppressions(result, rules);
  if (!done) return std::unexpected(std::move(done).error());
  if (rules.fails(result)) return static_cast<ExitCode>(findings_exit_code);
  if (explored->ending == explore::Ending::stopped) return ExitCode::interrupted;
  if (strict && is_incomplete(result)) return ExitCode::cut_short;
  return static_cast<ExitCode>(first_end.exit_status());
}

}  // namespace

void add_explore(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ExploreCommand>();
  CLI::App* command = app.add_subcommand(
      "explore", "Run a program under one schedule after the other, until none does anything new");
  command->add_option("-o,--output", state->output,
                      "Folder for the results (default: a new one in .foretell)");
  command->add_option("--runs", state->most_runs, "Run the program at most N times")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000'000));
  command->add_option("--seed", state->seed, "Seed of all that is random")->capture_default_str();
  command->add_option("--timeout", state->timeout, "End a run after N seconds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--disk-limit", state->disk_limit,
                      "Stop recording a run at this size, like 500M;\nit continues unrecorded");
  state->analyses.add_to(*command,
                         {.jobs = "Runs at the same time (default: one per processor)",
                          .budget = "End after this time, like 30s or 2m, and report what\n"
                                    "was found"});
  state->replays.add_to(*command);
  state->reports.add_to(*command);
  state->triage.add_to(*command);
  command->add_flag("--strict", state->strict, "Exit with 69 if not all schedules are covered");
  command->add_option("--exitcode", state->findings_exit_code, "Exit code when there are findings")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Form: foretell explore [OPTIONS] -- PROGRAM [ARGUMENTS...]\n\n"
      "The first run keeps its standard output; the others are silent. Standard input is the\n"
      "same file in every run if it is a file, otherwise empty. docs/explore.md says when all\n"
      "schedules of an input are covered.\n"
      "Exits with 66 if there are findings, otherwise with the status of the first run.\n"
      "Example: foretell explore --budget=1m -- ./program arguments");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli

// SPDX-License-Identifier: Apache-2.0

// foretell analyze TRACE: which races the recorded run could have had.

#include <algorithm>

#include "cli/analysis_options.h"
#include "cli/command_budget.h"
#include "cli/finding_names.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/report_options.h"
#include "cli/triage_options.h"

namespace foretell::cli {
namespace {

struct AnalyzeCommand {
  TraceInput input;
  AnalysisChoice analyses;
  ReportOptions reports;
  TriageOptions triage;
  bool every_pair = false;
  bool first_race = false;
  bool all_races = false;
  bool strict = false;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  ExitCode run() const;
  Result<ExitCode> analyze_and_report() const;
};

Result<ExitCode> AnalyzeCommand::analyze_and_report() const {
  FORETELL_TRY(report_targets, reports.targets());
  FORETELL_TRY(options, analyses.options());
  const CommandBudget budget(options.budget);
  FORETELL_TRY(rules, triage.load());
  if (input.path == "-" && std::ranges::any_of(report_targets, &ReportTarget::shows_events)) {
    return usage_error(
        "this report format reads the trace a second time: name a file instead of -");
  }
  FORETELL_TRY(reader, input.open());
  const Interruptible keeping_what_was_found;
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader), [&] {
                 return budget.is_used_up() || Interruptible::flag();
               }));

  Progress progress;
  options.budget = budget.left_until(CommandBudget::kAnalysis);
  options.analysis.order_after_race = first_race;
  options.every_pair = every_pair;
  options.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
  options.stop = &Interruptible::flag();
  FORETELL_TRY(result, analyze(std::move(stream), options));
  progress.clear();
  result.trace.name = input.path == "-" ? "<stdin>" : input.path;
  if (input.path != "-") result.trace.file = input.path;
  rules.apply(result);
  if (input.path != "-") name_trace_findings(input.path, result);

  const ReportContext context{
      .traces = {{.path = input.path, .open = [&] { return input.open(); }}},
      .fail_on = rules.fail_on};
  if (auto done = reports.write(result, report_targets, context); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = triage.print_suppressions(result, rules); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (strict && is_incomplete(result)) return ExitCode::cut_short;
  if (rules.fails(result)) return static_cast<ExitCode>(findings_exit_code);
  return Interruptible::flag() ? ExitCode::interrupted : ExitCode::clean;
}

ExitCode AnalyzeCommand::run() const {
  auto outcome = analyze_and_report();
  return outcome ? *outcome : report(outcome.error());
}

}  // namespace

void add_analyze(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<AnalyzeCommand>();
  CLI::App* command =
      app.add_subcommand("analyze", "Find the concurrency errors a recorded run could have had");
  state->input.add_to(*command);
  state->analyses.add_to(*command);
  state->reports.add_to(*command);
  state->triage.add_to(*command);
  command->add_flag("--all", state->every_pair,
                    "Report every racing pair of events, not one per pair of sites");
  auto* first = command->add_flag("--first-race", state->first_race,
                                  "Treat a racing pair as ordered from then on, so that every\n"
                                  "reported race is a first race");
  command
      ->add_flag("--all-races", state->all_races,
                 "Also report races that follow other races (the default)")
      ->excludes(first);
  command->add_flag("--strict", state->strict,
                    "Exit with 69 if the trace or the analysis is incomplete");
  command->add_option("--exitcode", state->findings_exit_code, "Exit code when there are findings")
      ->check(CLI::Range(0, 255));
  command->footer("Example: foretell analyze examples/bank.tiddle --format=text,json:bank.json");
  command->callback([state, &exit_code] { exit_code = state->run(); });
}

}  // namespace foretell::cli

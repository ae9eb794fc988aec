// SPDX-License-Identifier: Apache-2.0

// foretell run -- PROGRAM: record, analyze, replay what was predicted, report.

#include <algorithm>

#include "base/cpu_time.h"
#include "base/output.h"
#include "bitcode/symbols/symbols.h"
#include "cli/analysis_options.h"
#include "cli/bitcode_library.h"
#include "cli/command_budget.h"
#include "cli/finding_names.h"
#include "cli/further_runs.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "cli/replay_options.h"
#include "cli/report_options.h"
#include "cli/reported_run.h"
#include "cli/statement_facts.h"
#include "cli/triage_options.h"
#include "finding/json_writer.h"
#include "replay/call_stacks.h"
#include "replay/confirm.h"
#include "replay/regression.h"
#include "replay/trials.h"
#include "report/remembered_names.h"

namespace foretell::cli {
namespace {

struct RunCommand {
  RecordingOptions recording;
  ReportOptions reports;
  TriageOptions triage;
  AnalysisChoice analyses;
  std::string output;
  ReplayOptions replays;
  FurtherRuns further;
  std::string regression;
  bool strict = false;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  Result<ExitCode> run();
  Result<void> replay(const launch::RunDirectory& directory, const launch::RecordedRun& recorded,
                      finding::AnalysisResult& result, Progress& progress,
                      const CommandBudget& budget) const;
  Result<void> add_stacks(const launch::RunDirectory& directory,
                          const launch::RecordedRun& recorded, finding::AnalysisResult& result,
                          Progress& progress, const CommandBudget& budget) const;
  std::chrono::milliseconds time_of_trial(const launch::RecordedRun& recorded) const;
  ExitCode known_bug_status(const replay::KnownBug& known,
                            const finding::AnalysisResult& result) const;
};

Result<void> RunCommand::replay(const launch::RunDirectory& directory,
                                const launch::RecordedRun& recorded,
                                finding::AnalysisResult& result, Progress& progress,
                                const CommandBudget& budget) const {
  const replay::Replayer replayer(directory, recorded.info, recorded.trace);
  // What findings do to the program takes more runs of it than confirming them.
  constexpr double kShareOfRecording = 0.5, kLeastCpuSeconds = 2;
  const CpuAllowance for_consequences(kShareOfRecording, kLeastCpuSeconds);
  size_t replayed = 0;
  bool interrupted = false;
  std::vector<finding::FindingKind> kinds;
  for (const finding::Finding& f : result.findings) kinds.push_back(f.kind());
  for (const size_t i : replay::fair_order(kinds)) {
    finding::Finding& f = result.findings[i];
    if (f.verdict != finding::Verdict::predicted || !f.witness) continue;
    f.replay = replays.why_not(f, replayed, interrupted || Interruptible::flag());
    if (f.replay.empty() && budget.is_used_up()) f.replay = "not replayed: the budget was used up";
    if (!f.replay.empty()) continue;
    const size_t all = std::min(result.findings.size(), replays.most);
    progress.update(fmt::format("replay: finding {} of {}", replayed + 1, all),
                    static_cast<double>(replayed) / static_cast<double>(all));
    ++replayed;
    FORETELL_TRY(outcome, try_finding(replayer, f,
                                      {.time_limit = replays.time_limit(),
                                       .deadline = budget.end_of(CommandBudget::kReplay),
                                       .stop = &Interruptible::flag(),
                                       .compare_ends = !recorded.end.interrupted &&
                                                       !for_consequences.is_used_up()}));
    interrupted = outcome.end.interrupted;
  }
  replay::sort_by_verdict(result.findings);
  return {};
}

// Costs one more run of the program, and only if there is something to report.
Result<void> RunCommand::add_stacks(const launch::RunDirectory& directory,
                                    const launch::RecordedRun& recorded,
                                    finding::AnalysisResult& result, Progress& progress,
                                    const CommandBudget& budget) const {
  if (replays.never || Interruptible::flag() || recorded.end.interrupted || budget.is_used_up())
    return {};
  progress.update("call stacks", 0);
  const replay::Replayer replayer(directory, recorded.info, recorded.trace);
  auto symbolize = [](const std::vector<program::CodeAddress>& addresses)
      -> Result<std::vector<std::vector<program::CodePlace>>> {
    FORETELL_TRY(function, function_of_library("foretell_symbols.so", bitcode::kSymbolize));
    std::vector<std::vector<program::CodePlace>> places;
    reinterpret_cast<bitcode::Symbolize*>(function)(addresses, places);
    return places;
  };
  return add_call_stacks(replayer, recorded, symbolize,
                         {.time_limit = replays.time_limit(),
                          .deadline = budget.end_of(CommandBudget::kReplay),
                          .stop = &Interruptible::flag()},
                         result);
}

// Most trials show nothing, and a thread that waits for what its schedule has excluded spins until it
// is ended: so they get less time than replays do.
std::chrono::milliseconds RunCommand::time_of_trial(const launch::RecordedRun& recorded) const {
  constexpr double kLeast = 3, kTimesTheRun = 20;
  const double seconds = kLeast + kTimesTheRun * recorded.end.seconds;
  const auto usual = std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
  return std::min(usual, replays.time_limit().value_or(usual));
}

// A program that crashed by itself needs no prediction.
void report_crash(const launch::RunDirectory& directory, const launch::RecordedRun& run) {
  const std::string file = directory.schedule("recorded");
  std::fputs(fmt::format("error: {} was {} while it was recorded\n"
                         "note: 'foretell replay --schedule={}' repeats it\n",
                         run.info.command[0], run.info.ended, file)
                 .c_str(),
             stderr);
}

// A regression test is about one bug: others are reported, but do not count.
ExitCode RunCommand::known_bug_status(const replay::KnownBug& known,
                                      const finding::AnalysisResult& result) const {
  const bool there = std::ranges::any_of(result.findings, [&](const finding::Finding& f) {
    return f.verdict != finding::Verdict::possible && known.is(f);
  });
  std::fputs(
      fmt::format("foretell: {} is {}\n", known.name, there ? "still there" : "not there").c_str(),
      stderr);
  return there ? static_cast<ExitCode>(findings_exit_code) : ExitCode::clean;
}

Result<ExitCode> RunCommand::run() {
  FORETELL_TRY(targets, reports.targets(kStandardError));
  FORETELL_TRY(program, required_program("run"));
  // A misspelt name must not cost a run of the program.
  FORETELL_TRY(options, analyses.options());
  const CommandBudget budget(options.budget);
  FORETELL_TRY(rules, triage.load());
  std::optional<replay::KnownBug> known;
  if (!regression.empty()) {
    FORETELL_TRY(bug, replay::read_bug(regression));
    known = bug;
  }
  FORETELL_TRY(directory, launch::RunDirectory::create(".foretell", output));
  FORETELL_TRY(request, recording.request(directory.path()));
  request.command = program;
  request.keep_events = true;
  request.remembered = directory.remembered();
  // While it runs, nobody knows what these functions access.
  if (options.atomic.all_functions || !options.atomic.functions.empty()) request.watch = false;
  if (output.empty()) request.folder = directory.path();
  request.run_until = budget.end_of(CommandBudget::kProgram);
  request.read_until = budget.end_of(CommandBudget::kReading);
  Progress progress;
  request.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
  const Interruptible keeping_what_was_found;
  request.stop = &Interruptible::flag();
  FORETELL_TRY(recorded, record_run(request));
  progress.clear();
  if (auto done = finish_run(directory, recorded); !done) {
    return std::unexpected(std::move(done).error());
  }
  const auto program_status = static_cast<ExitCode>(recorded.end.exit_status());
  if (!recorded.recorded) {
    print_recorded(recorded, directory.path());
    // What was not looked at is not fixed.
    if (known) return ExitCode::bad_input;
    return strict ? ExitCode::cut_short : program_status;
  }
  // The run is on disk, and `latest` names it.

  options.budget = budget.left_until(CommandBudget::kAnalysis);
  options.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
  options.stop = &Interruptible::flag();
  options.trials = !replays.never;
  std::vector<trace::StatementFacts> statements;
  std::vector<Diagnostic> without_facts;
  const bool slices = std::ranges::any_of(
      options.analyses, [](const auto* analysis) { return analysis->name == "sliced"; });
  if (slices) {
    FORETELL_TRY(reader, recorded.trace.open());
    if (auto facts = statement_facts(recorded.info.program, reader->tables())) {
      statements = std::move(*facts);
    } else {
      without_facts.push_back(std::move(facts).error());
      without_facts.back().notes.push_back(
          "sliced: nothing is known of the code, so everything counts as depending on what was "
          "read "
          "before");
    }
    options.analysis.statements = &statements;
  }
  FORETELL_TRY(result, replay::analyze_run(recorded, options));
  std::ranges::move(without_facts, std::back_inserter(result.warnings));
  if (!result.trials.empty()) {
    const replay::Replayer replayer(directory, recorded.info, recorded.trace);
    auto tried = try_trials(replayer, directory, recorded,
                            {.time_limit = time_of_trial(recorded),
                             .deadline = budget.end_of(CommandBudget::kReplay),
                             .stop = &Interruptible::flag(),
                             .compare_ends = !recorded.end.interrupted},
                            result);
    if (!tried) return std::unexpected(std::move(tried).error());
  }
  for (const std::string& warning : recorded.warnings) result.warnings.push_back({warning, ""});
  if (!recorded.uninstrumented.empty() && recorded.unchecked.empty()) {
    result.warn(fmt::format("not seen, because it was not built with 'foretell cc': {}",
                            launch::list_of_files(recorded.uninstrumented)),
                ExitCode::cut_short);
  }
  result.trace.unchecked = recorded.unchecked;
  if (recorded.end.kind == launch::EndKind::timed_out) {
    result.warnings.push_back({fmt::format("{} {}: the report covers what was recorded until then",
                                           recorded.info.command[0], recorded.info.ended),
                               ""});
  }
  if (recorded.end.interrupted) {
    result.warnings.push_back({"interrupted: the report covers what was recorded so far", ""});
  }
  const std::vector<Diagnostic> notes = result.notes;
  rules.apply(result);
  if (auto done = name_findings(directory, recorded.info.build, result); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = replay::add_schedules(directory, recorded, result); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = replay(directory, recorded, result, progress, budget); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = add_stacks(directory, recorded, result, progress, budget); !done) {
    return std::unexpected(std::move(done).error());
  }
  const FurtherRuns::Setting setting{directory, recorded, options, replays, budget, progress};
  if (!known && further.are_wanted(recording, setting)) {
    // The rules are for all findings together.
    result.notes = notes;
    result.fixed.clear();
    result.not_run.clear();
    auto done = further.explore(setting, result);
    rules.apply(result);
    if (done) done = name_findings(directory, recorded.info.build, result);
    if (done) done = further.finish(setting, result);
    if (!done) return std::unexpected(std::move(done).error());
  }
  // Every verdict is final.

  progress.clear();
  if (auto done = write_text(directory.findings(), to_json(result)); !done) {
    return std::unexpected(std::move(done).error());
  }
  std::vector<ReportedTrace> traces = further.traces();
  ReportedTrace first = reported_trace(directory, recorded.info, recorded.trace);
  if (!traces.empty()) first.result = found_in_first(result);
  traces.insert(traces.begin(), std::move(first));
  const ReportContext context{.traces = std::move(traces), .fail_on = rules.fail_on};
  if (auto done = reports.write(result, targets, context); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = triage.print_suppressions(result, rules); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (recorded.end.kind == launch::EndKind::signalled && !recorded.end.interrupted) {
    report_crash(directory, recorded);
  }
  if (known) return known_bug_status(*known, result);
  if (rules.fails(result)) return static_cast<ExitCode>(findings_exit_code);
  return strict && is_incomplete(result) ? ExitCode::cut_short : program_status;
}

}  // namespace

void add_run(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<RunCommand>();
  CLI::App* command =
      app.add_subcommand("run", "Record a program, analyze the run, replay what was predicted");
  command->add_option("-o,--output", state->output,
                      "Folder for the run (default: a new one in .foretell)");
  state->recording.add_to(*command);
  state->analyses.add_to(*command);
  state->replays.add_to(*command);
  state->further.add_to(*command);
  state->reports.add_to(*command);
  state->triage.add_to(*command);
  command->add_option("--regression", state->regression,
                      "Only check whether this bug still exists: a file that\n'foretell replay "
                      "--export-test' wrote; exits with 0 if not");
  command->add_flag("--strict", state->strict, kStrictHelp);
  command->add_option("--exitcode", state->findings_exit_code, "Exit code when there are findings")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Form: foretell run [OPTIONS] -- PROGRAM [ARGUMENTS...]\n\n"
      "The program keeps its standard streams while it is recorded; the text report goes\n"
      "to standard error. In a replay, standard input is the same file if it was a file, "
      "otherwise\n"
      "empty; output goes to the folder of the run.\n"
      "Exits with 66 if there are findings, otherwise with the program's status.\n"
      "Example: foretell run --format=text,json:out.json -- ./program arguments");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli

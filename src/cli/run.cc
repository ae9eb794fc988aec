// foretell run -- PROGRAM: record, analyse, replay what was predicted, report.

#include <algorithm>
#include <set>

#include "base/output.h"
#include "cli/analysis_options.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "cli/report_options.h"
#include "cli/reported_run.h"
#include "cli/triage_options.h"
#include "replay/consequence.h"
#include "replay/deadlock.h"
#include "replay/replayer.h"
#include "report/json.h"
#include "schedule/thread_column.h"

namespace foretell::cli {
namespace {

struct RunCommand {
  RecordingOptions recording;
  ReportOptions reports;
  TriageOptions triage;
  AnalysisChoice analyses;
  std::string output;
  bool no_replay = false;
  size_t most_replays = 32;
  double replay_timeout = 0;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  Result<ExitCode> run() const;
  static Result<AnalysisResult> analyse(const RunDirectory& directory, const RecordedRun& run,
                                        DriverOptions options);
  Result<void> add_schedules(const RunDirectory& directory, AnalysisResult& result) const;
  Result<void> replay(const RunDirectory& directory, const RecordedRun& recorded,
                      AnalysisResult& result, Progress& progress) const;
};

// Whether the predicted one is part of what happened.
bool same_deadlock(const Finding& predicted, const Finding& happened) {
  auto places = [](const Finding& f) {
    std::set<std::pair<std::string, std::string>> set;
    for (const DescribedEvent& e : f.events) set.emplace(e.thread, e.site);
    return set;
  };
  return predicted.kind == FindingKind::deadlock && happened.kind == FindingKind::deadlock &&
         std::ranges::includes(places(happened), places(predicted));
}

Result<AnalysisResult> RunCommand::analyse(const RunDirectory& directory, const RecordedRun& run,
                                           DriverOptions options) {
  FORETELL_TRY(reader, open_run_trace(directory));
  FORETELL_TRY(stream, TraceStream::open(std::move(reader)));
  FORETELL_TRY(result, analyze(std::move(stream), options));
  result.trace.name = run.info.command[0];
  result.trace.file = run.info.program;
  if (run.deadlocked()) {
    FORETELL_TRY(again, open_run_trace(directory));
    FORETELL_TRY(deadlock, describe_deadlock(*again));
    deadlock.replay = "this happened while the program was recorded";
    // What happened needs no prediction.
    std::erase_if(result.findings, [&](const Finding& f) { return same_deadlock(f, deadlock); });
    result.findings.insert(result.findings.begin(), std::move(deadlock));
    result.number_findings();
  }
  return std::move(result);
}

Result<void> RunCommand::add_schedules(const RunDirectory& directory,
                                       AnalysisResult& result) const {
  FORETELL_TRY(reader, open_run_trace(directory));
  FORETELL_TRY(column, ThreadColumn::read(*reader));
  for (Finding& f : result.findings) {
    if (!f.witness) continue;
    const Schedule schedule = column.of_witness(f.witness->prefix_end, f.witness->steps);
    f.schedule = schedule.to_string();
    f.schedule_file = directory.schedule(f.id);
    if (auto done = write_text(f.schedule_file, schedule.to_file(f.id)); !done) return done;
  }
  return {};
}

Result<void> RunCommand::replay(const RunDirectory& directory, const RecordedRun& recorded,
                                AnalysisResult& result, Progress& progress) const {
  const Replayer replayer(directory, recorded.info);
  size_t replays = 0;
  bool interrupted = false;
  for (Finding& f : result.findings) {
    if (f.verdict != Verdict::predicted || !f.witness) continue;
    if (f.suppressed) {
      f.replay = "not replayed: it is suppressed";
      continue;
    }
    if (interrupted || Interruptible::flag()) {
      f.replay = "not replayed: interrupted";
      continue;
    }
    if (no_replay) {
      f.replay = "not replayed (--no-replay)";
      continue;
    }
    if (replays == most_replays) {
      f.replay = fmt::format("not replayed: only the first {} are (--replays=N)", most_replays);
      continue;
    }
    progress.update("replay",
                    static_cast<double>(replays++) /
                        static_cast<double>(std::min(result.findings.size(), most_replays)));
    FORETELL_TRY(schedule, parse_schedule(f.schedule));
    const Expectation expectation = expectation_of(f);
    ReplayRequest request{.name = f.id, .time_limit = time_limit(replay_timeout)};
    // The schedule of a deadlock ends when nobody has blocked yet; that of an atomicity violation
    // may end when the block is about to lock again.
    if (f.kind == FindingKind::deadlock || f.kind == FindingKind::atomicity) {
      request.after = AfterSchedule::go_on;
    }
    FORETELL_TRY(replayed, replayer.replay(schedule, &expectation, request));
    interrupted = replayed.end.interrupted;
    if (replayed.outcome == ReplayOutcome::reproduced) {
      f.verdict = Verdict::confirmed;
      if (f.kind != FindingKind::deadlock && !recorded.end.interrupted) {
        FORETELL_TRY(consequence, consequence_of(replayer, schedule, expectation, request));
        f.consequence = std::move(consequence);
      }
    } else {
      f.replay = replayed.explanation;
      // A signal, a cancellation or another process may end a wait; no trace says so, the program
      // does.
      const bool went_on = f.kind == FindingKind::deadlock && !expectation.only_locks &&
                           replayed.outcome == ReplayOutcome::not_reproduced;
      if (went_on) f.verdict = Verdict::possible;
    }
  }
  // What happened comes before what could; ids stay.
  std::vector<Finding> by_verdict;
  for (Verdict verdict : {Verdict::confirmed, Verdict::predicted, Verdict::possible}) {
    for (Finding& finding : result.findings) {
      if (finding.verdict == verdict) by_verdict.push_back(std::move(finding));
    }
  }
  result.findings = std::move(by_verdict);
  return {};
}

// A program that crashed by itself needs no prediction.
void report_crash(const RunDirectory& directory, const RecordedRun& run) {
  const std::string file = directory.schedule("recorded");
  std::fputs(fmt::format("error: {} was {} while it was recorded\n"
                         "note: 'foretell replay --schedule={}' repeats it\n",
                         run.info.command[0], run.info.ended, file)
                 .c_str(),
             stderr);
}

Result<ExitCode> RunCommand::run() const {
  FORETELL_TRY(targets, reports.targets(kStandardError));
  FORETELL_TRY(program, required_program("run"));
  // A misspelt name must not cost a run of the program.
  FORETELL_TRY(options, analyses.options());
  FORETELL_TRY(rules, triage.load());
  FORETELL_TRY(directory, RunDirectory::create(".foretell", output));
  FORETELL_TRY(request, recording.request(directory.path()));
  request.command = program;
  FORETELL_TRY(recorded, record_run(request));
  if (auto done = finish_run(directory, recorded); !done) {
    return std::unexpected(std::move(done).error());
  }
  const auto program_status = static_cast<ExitCode>(recorded.end.exit_status());
  if (!recorded.recorded) {
    print_recorded(recorded, directory.path());
    return program_status;
  }
  // The run is on disk, and `latest` names it.

  Progress progress;
  options.progress = [&](std::string_view phase, double done) { progress.update(phase, done); };
  const Interruptible keeping_what_was_found;
  options.stop = &Interruptible::flag();
  FORETELL_TRY(result, analyse(directory, recorded, options));
  for (const std::string& warning : recorded.warnings) result.warnings.push_back({warning, ""});
  if (recorded.end.interrupted) {
    result.warnings.push_back({"interrupted: this is about what was recorded until then", ""});
  }
  rules.apply(result);
  if (auto done = add_schedules(directory, result); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = replay(directory, recorded, result, progress); !done) {
    return std::unexpected(std::move(done).error());
  }
  // Every verdict is final.

  progress.clear();
  if (auto done = write_text(directory.findings(), to_json(result)); !done) {
    return std::unexpected(std::move(done).error());
  }
  const ReportContext context{.trace = reported_trace(directory, recorded.info),
                              .fail_on = rules.fail_on};
  if (auto done = reports.write(result, targets, context); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto done = triage.print_suppressions(result, rules); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (recorded.end.kind == EndKind::signalled && !recorded.end.interrupted) {
    report_crash(directory, recorded);
  }
  return rules.fails(result) ? static_cast<ExitCode>(findings_exit_code) : program_status;
}

}  // namespace

void add_run(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<RunCommand>();
  CLI::App* command =
      app.add_subcommand("run", "Record a program, analyse the run, replay what was predicted");
  command->add_option("-o,--output", state->output,
                      "Folder for the run (default: a new one in .foretell)");
  state->recording.add_to(*command);
  state->analyses.add_to(*command);
  command->add_flag("--no-replay", state->no_replay, "Do not replay what was predicted");
  command->add_option("--replays", state->most_replays, "Replay at most so many findings");
  command
      ->add_option("--replay-timeout", state->replay_timeout,
                   "End a replay after so many seconds (default: 20 times\nthe recorded run, at "
                   "least 10)")
      ->check(CLI::PositiveNumber);
  state->reports.add_to(*command);
  state->triage.add_to(*command);
  command->add_option("--exitcode", state->findings_exit_code, "Exit code when there are findings")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Form: foretell run [OPTIONS] -- PROGRAM [ARGUMENTS...]\n\n"
      "The program keeps its own standard streams while it is recorded; the text report goes\n"
      "to standard error. Replays read the same file as standard input if it was one, else\n"
      "nothing, and print into the run's folder.\n"
      "Exits with 66 if there are findings, else as the program did.\n"
      "Example: foretell run --format=text,json:out.json -- ./program arguments");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli

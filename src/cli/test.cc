// SPDX-License-Identifier: Apache-2.0

// foretell test -- COMMAND: record every instrumented process below a command, analyze and replay
// each, and report all of it once.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <thread>

#include "base/output.h"
#include "cli/analysis_options.h"
#include "cli/explored_tests.h"
#include "cli/finding_names.h"
#include "cli/interruption.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "cli/replay_options.h"
#include "cli/reported_run.h"
#include "cli/triage_options.h"
#include "finding/json_writer.h"
#include "launch/guardian.h"
#include "test_runs/ctest_names.h"
#include "test_runs/junit.h"
#include "test_runs/merge.h"
#include "test_runs/session.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLongestExploredRun{10'000};

struct TestCommand {
  SchedulingOptions scheduling;
  AnalysisChoice analyses;
  ReportOptions reports;
  TriageOptions triage;
  std::string output;
  double timeout = 0;
  std::string disk_limit = "4G";
  ReplayOptions replays{.most = 64};
  bool strict = false;
  bool keep_all = false;
  size_t explored_runs = 0;  // of each process; 0: it is not explored
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  Result<ExitCode> run() const;
  Result<test_runs::SessionOptions> session_options() const;
  launch::RuntimeOptions runtime_options(const test_runs::SessionOptions& session,
                                         uint64_t most_bytes) const;
  void replay(const std::vector<test_runs::MergedRuns::Group>& groups, bool& interrupted,
              Progress& progress) const;
  void replay(const test_runs::MergedRuns::Group& group, size_t& replayed, bool& interrupted) const;
  Result<void> write_runs(const std::vector<test_runs::ProcessRun>& runs) const;
};

// All but the folders.
Result<test_runs::SessionOptions> TestCommand::session_options() const {
  test_runs::SessionOptions options{.version = FORETELL_VERSION};
  FORETELL_TRY(driver, analyses.options());
  options.driver = driver;
  options.jobs =
      analyses.jobs > 0 ? analyses.jobs : std::max(1u, std::thread::hardware_concurrency() / 2);
  // Processes side by side leave no processor for threads that judge side by side.
  options.driver.jobs = options.jobs > 1 ? 1 : 0;
  scheduling.put_into(options.how);
  return options;
}

launch::RuntimeOptions TestCommand::runtime_options(const test_runs::SessionOptions& session,
                                                    uint64_t most_bytes) const {
  launch::RuntimeOptions options = runtime_options_of(session.how);
  options.set("size_limit", most_bytes);
  if (const auto limit = time_limit(timeout)) {
    options.set("time_limit_ms", static_cast<uint64_t>(limit->count()));
  }
  return options;
}

// One process after the other: they may want the same files.
void TestCommand::replay(const std::vector<test_runs::MergedRuns::Group>& groups, bool& interrupted,
                         Progress& progress) const {
  std::vector<finding::FindingKind> kinds;
  for (const test_runs::MergedRuns::Group& group : groups)
    kinds.push_back(group[0].finding->kind());
  size_t replayed = 0, done = 0;
  for (const size_t i : replay::fair_order(kinds)) {
    const test_runs::MergedRuns::Group& group = groups[i];
    progress.update(fmt::format("replay: finding {} of {}", done + 1, groups.size()),
                    static_cast<double>(done) / static_cast<double>(groups.size()));
    replay(group, replayed, interrupted);
    ++done;
  }
}

// What one process has confirmed needs no other.
void TestCommand::replay(const test_runs::MergedRuns::Group& group, size_t& replayed,
                         bool& interrupted) const {
  constexpr size_t kMostTries = 2;  // processes for one finding
  size_t tries = 0;
  bool confirmed = false;
  for (const auto& [run, f] : group) {
    confirmed |= f->verdict == finding::Verdict::confirmed;
    // What a further run found was tried when it was found.
    if (f->verdict != finding::Verdict::predicted || !f->witness || run->explored) continue;
    if (confirmed || tries == kMostTries) {
      f->replay = "not replayed: it was in another process";
    } else if (run->process.forked) {
      f->replay = "not replayed: the process was forked and has no command line of its own";
    } else if (std::string why = replays.why_not(*f, replayed, interrupted); !why.empty()) {
      f->replay = std::move(why);
    } else {
      ++replayed;
      ++tries;
      const replay::Replayer replayer(*run->directory, run->run.info);
      auto result =
          try_finding(replayer, *f,
                      {.time_limit = replays.time_limit(), .compare_ends = run->came_to_its_end()});
      // The folder it ran in may be gone; the others may have theirs.
      if (!result) {
        f->replay = "not replayed: " + result.error().message;
        continue;
      }
      interrupted |= result->end.interrupted || Interruptible::flag();
      confirmed = f->verdict == finding::Verdict::confirmed;
    }
  }
}

// Findings have their names and verdicts: each process becomes a run that can be opened, or goes.
Result<void> TestCommand::write_runs(const std::vector<test_runs::ProcessRun>& runs) const {
  for (const test_runs::ProcessRun& run : runs) {
    if (!run.directory) continue;
    const bool says_nothing =
        run.result.findings.empty() && run.result.dismissed.empty() && run.trouble().empty();
    // What its further runs show lies below it.
    const bool has_more = std::ranges::any_of(runs, [&](const test_runs::ProcessRun& other) {
      return other.explored && other.name.starts_with(run.name + '/');
    });
    if (says_nothing && !keep_all && !has_more) {
      std::error_code error;
      fs::remove_all(run.directory->path(), error);
    } else if (run.failure.empty()) {
      auto written = write_text(run.directory->findings(), to_json(run.result));
      if (!written) return written;
    }
  }
  return {};
}

// The processes that show a finding best.
std::vector<ReportedTrace> shown_traces(const std::vector<test_runs::ProcessRun>& runs,
                                        const finding::AnalysisResult& result) {
  std::vector<ReportedTrace> traces;
  for (const test_runs::ProcessRun& run : runs) {
    const bool shows = std::ranges::any_of(result.findings, [&](const finding::Finding& f) {
      return f.seen_in[0].run == run.folder();
    });
    if (!shows) continue;
    ReportedTrace trace = reported_trace(*run.directory, run.run.info, run.run.trace);
    trace.run = run.folder();
    trace.result = run.result;
    traces.push_back(std::move(trace));
  }
  return traces;
}

// Until all processes are analyzed. Who interrupts gets what is known by then.
bool wait_for(test_runs::TestSession& session, bool& interrupted, Progress& progress) {
  constexpr auto kPatience = std::chrono::seconds(10);
  bool all_done = false;
  while (!all_done && !interrupted) {
    all_done = session.wait(std::chrono::milliseconds(100));
    const auto [done, known, doing] = session.count();
    progress.update(fmt::format("{} of {} processes analyzed{}", done, known,
                                doing.empty() ? "" : fmt::format(" ({})", doing)),
                    known == 0 ? 0 : static_cast<double>(done) / static_cast<double>(known));
    interrupted |= Interruptible::flag();
  }
  if (all_done) return true;
  session.stop();
  return session.wait(kPatience);
}

Result<ExitCode> TestCommand::run() const {
  FORETELL_TRY(targets, reports.targets(kStandardError));
  FORETELL_TRY(command, required_program("test"));
  // A misspelt option must not cost a run of all tests.
  FORETELL_TRY(rules, triage.load());
  FORETELL_TRY(options, session_options());
  FORETELL_TRY(most_bytes, parse_size(disk_limit));
  FORETELL_TRY(directory,
               launch::RunDirectory::create(".foretell", output, launch::RunDirectory::Kind::test));
  const std::string root = fs::absolute(directory.path()).string();
  options.recordings = root + launch::RunDirectory::kRecordings;
  options.processes = root + launch::RunDirectory::kProcesses;
  options.how.recording = options.recordings + '/';
  const launch::RuntimeOptions runtime = runtime_options(options, most_bytes);

  const Interruptible keeping_what_was_found;
  const auto session = test_runs::TestSession::start(options);
  // What is not finished is of no use to anybody.
  std::optional<launch::Guardian> guardian;
  guardian.emplace(launch::GuardedThings{.folder = root});
  auto end = launch::launch(
      {.command = command, .environment = runtime.environment(), .dies_with_us = true});
  if (!end) {
    session->stop();
    session->wait(std::chrono::seconds(1));
    std::error_code ignored;
    fs::remove_all(root, ignored);
    return std::unexpected(std::move(end).error());
  }
  bool interrupted = end->interrupted;
  session->command_ended();
  // No test runs any more; what was recorded is all there is.

  Progress progress;
  const bool all_done = wait_for(*session, interrupted, progress);
  const auto [done, known, _] = session->count();
  std::vector<test_runs::ProcessRun> runs = session->take_runs();
  test_runs::CTestNames names(root + "/tests.json");
  for (test_runs::ProcessRun& run : runs) run.test = names.test_of(run.process);
  std::vector<Diagnostic> explored;
  if (explored_runs > 0 && all_done && !interrupted) {
    auto notes =
        explore_tests({.most_runs = explored_runs,
                       .time_limit = time_limit(timeout).value_or(kLongestExploredRun),
                       .jobs = std::max(1u, analyses.jobs),
                       .driver = options.driver,
                       .replays = replays,
                       .progress = [&](const std::string& what) { progress.update(what, -1); }},
                      runs);
    if (!notes) return std::unexpected(std::move(notes).error());
    explored = std::move(*notes);
    interrupted |= Interruptible::flag();
  }
  test_runs::MergedRuns merged(runs, test_runs::command_text(command));
  finding::AnalysisResult& result = merged.result();
  std::ranges::move(explored, std::back_inserter(result.notes));
  // What was cut off shows nothing to be fixed.
  if (interrupted) result.trace.tests.clear();
  rules.apply(result);
  if (auto named = name_test_findings(directory, result); !named) {
    return std::unexpected(std::move(named).error());
  }
  merged.share_results();
  for (test_runs::ProcessRun& run : runs) {
    if (!run.directory || !run.failure.empty() || run.result.findings.empty()) continue;
    if (auto added = replay::add_schedules(*run.directory, run.run, run.result); !added) {
      return std::unexpected(std::move(added).error());
    }
  }
  replay(merged.found(), interrupted, progress);
  merged.take_best();
  progress.clear();
  // Every verdict is final.

  if (runs.empty() && !interrupted) {
    result.trace.unchecked = "nothing was recorded";
    result.warnings.push_back(
        {"nothing was recorded: build the tests with 'foretell cc' or "
         "'foretell c++', or foretell_instrument(TARGET) in CMake",
         ""});
  }
  if (interrupted) {
    result.warnings.push_back(
        {fmt::format("interrupted: {} of {} recorded processes were analyzed", done, known), ""});
  }
  std::error_code error;
  if (auto written = write_runs(runs); !written) return std::unexpected(written.error());
  for (const auto& [path, text] :
       {std::pair(directory.findings(), to_json(result)),
        std::pair(directory.path() + launch::RunDirectory::kTestFile,
                  to_test_json(runs, result, command, fs::current_path(error).string()))}) {
    if (auto written = write_text(path, text); !written) return std::unexpected(written.error());
  }
  if (auto published = directory.publish(); !published) return std::unexpected(published.error());
  const ReportContext context{.traces = shown_traces(runs, result),
                              .fail_on = rules.fail_on,
                              .suites = junit_suites(runs, result, rules.fail_on)};
  auto written = reports.write(result, targets, context);
  if (written) written = triage.print_suppressions(result, rules);
  if (!written) return std::unexpected(std::move(written).error());
  fs::remove_all(options.recordings, error);
  const auto code = rules.fails(result)               ? static_cast<ExitCode>(findings_exit_code)
                    : interrupted                     ? ExitCode::interrupted
                    : strict && is_incomplete(result) ? ExitCode::cut_short
                                                      : static_cast<ExitCode>(end->exit_status());
  if (!all_done) {
    // Workers are still in the middle of what nobody waits for.
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(code));
  }
  return code;
}

}  // namespace

void add_test(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<TestCommand>();
  CLI::App* command =
      app.add_subcommand("test", "Record, analyze and replay every process that a command starts");
  command->add_option("-o,--output", state->output,
                      "Folder for the results (default: a new one in .foretell)");
  state->scheduling.add_to(*command);
  state->analyses.add_to(
      *command, {.jobs = "Processes analyzed at the same time (default: half the\nprocessors)",
                 .budget = "Stop analyzing and judging a process after this time, like 30s;\n"
                           "the report says what was not examined"});
  command->add_option("--timeout", state->timeout, "End a process after N seconds")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--disk-limit", state->disk_limit,
                   "Stop recording a process at this size, like 500M;\nit continues unrecorded")
      ->capture_default_str();
  state->replays.add_to(*command);
  command
      ->add_option("--explore", state->explored_runs,
                   "When the command has ended, run each process again under other\n"
                   "schedules, at most N times (100 without a number; docs/explore.md)")
      ->expected(0, 1)
      ->default_str("100")
      ->check(CLI::Range(1, 100'000'000));
  command->add_flag("--keep-all", state->keep_all, "Keep the runs of processes without findings");
  state->reports.add_to(*command);
  state->triage.add_to(*command);
  command->add_flag("--strict", state->strict, kStrictHelp);
  command->add_option("--exitcode", state->findings_exit_code, "Exit code when there are findings")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Form: foretell test [OPTIONS] -- COMMAND [ARGUMENTS...]\n\n"
      "Processes are recorded while the command runs and analyzed when they end. Replays begin\n"
      "when the command has ended. Findings at the same source positions are merged. They are\n"
      "attributed to CTest tests, and to GoogleTest cases if <foretell/gtest.h> is\n"
      "included. docs/testing.md has the details.\n"
      "Exits with 66 if there are findings, otherwise with the command's status.\n"
      "Example: foretell test --format=text,junit:foretell.xml -- ctest --test-dir build -j4");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli

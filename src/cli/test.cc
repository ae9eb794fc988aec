// foretell test -- COMMAND: record every instrumented process below a command, analyse and replay
// each, and report all of it once.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/output.h"
#include "cli/analysis_options.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "cli/report_options.h"
#include "cli/test.h"
#include "report/json.h"
#include "report/text.h"
#include "testing/ctest_names.h"
#include "testing/junit.h"
#include "testing/merge.h"
#include "testing/session.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupted_;

// Where nobody waits for them, signals are only noted: what was found is reported first. Programs
// that are started do not inherit it.
void note_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted_ = true; };
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

struct TestCommand {
  ReportOptions reports;
  std::string analyses = "default";
  std::string output;
  std::string strategy = "round-robin";
  uint64_t seed = 1;
  bool parallel = false;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency() / 2);
  double timeout = 0;
  std::string disk_limit = "4G";
  bool no_replay = false;
  size_t most_replays = 64;
  double replay_timeout = 0;
  bool keep_all = false;
  std::string junit;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  Result<ExitCode> run() const;
  Result<RuntimeOptions> runtime_options(const std::string& recordings) const;
  Result<void> replay(std::vector<ProcessRun>& runs, const std::vector<MergedFinding>& merged,
                      Progress& progress) const;
  Result<void> write_runs(std::vector<ProcessRun>& runs) const;
  Result<void> write_junit(const std::vector<ProcessRun>& runs, const MergedResult& merged) const;
};

// "500M", "2G", "1000000".
Result<uint64_t> parse_size(const std::string& text) {
  uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(parsed.ptr, text.data() + text.size());
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  const bool known = unit.empty() || shift > 0;
  if (parsed.ec != std::errc{} || !known || number == 0 || number > UINT64_MAX >> shift) {
    return usage_error("'{}' is no size; write it like 500M or 2G", text);
  }
  return number << shift;
}

Result<RuntimeOptions> TestCommand::runtime_options(const std::string& recordings) const {
  FORETELL_TRY(most_bytes, parse_size(disk_limit));
  RuntimeOptions options = RuntimeOptions::from_environment();
  options.set("record", recordings + '/')
      .set("mode", parallel ? "parallel" : "controlled")
      .set("strategy", strategy)
      .set("seed", seed)
      .set("size_limit", most_bytes);
  if (const auto limit = time_limit(timeout)) {
    options.set("time_limit_ms", static_cast<uint64_t>(limit->count()));
  }
  return options;
}

// One process after the other: they may want the same files. A finding that one process has
// confirmed needs no other.
Result<void> TestCommand::replay(std::vector<ProcessRun>& runs,
                                 const std::vector<MergedFinding>& merged,
                                 Progress& progress) const {
  constexpr size_t kMostTries = 2;  // processes for one finding
  size_t replayed = 0, done = 0;
  for (const MergedFinding& group : merged) {
    progress.update("replay", static_cast<double>(done++) / static_cast<double>(merged.size()));
    if (group.is_dismissed) continue;
    size_t tries = 0;
    bool confirmed = false;
    for (const auto& place : group.places) {
      ProcessRun& run = runs[place.run];
      Finding& f = finding_at(runs, group, place);
      confirmed |= f.verdict == Verdict::confirmed;
      if (f.verdict != Verdict::predicted || !f.witness) continue;
      if (no_replay) {
        f.replay = "not replayed (--no-replay)";
      } else if (interrupted_) {
        f.replay = "not replayed: interrupted";
      } else if (confirmed || tries == kMostTries) {
        f.replay = "not replayed: it was in another process";
      } else if (run.process.forked) {
        f.replay = "not replayed: the process was forked and has no command line of its own";
      } else if (replayed == most_replays) {
        f.replay = fmt::format("not replayed: only the first {} are (--replays=N)", most_replays);
      } else {
        ++replayed;
        ++tries;
        const Replayer replayer(*run.directory, run.run.info);
        auto result = try_finding(replayer, f, time_limit(replay_timeout));
        // The folder it ran in may be gone; the others may have theirs.
        if (!result) {
          f.replay = "not replayed: " + result.error().message;
          continue;
        }
        if (result->end.interrupted) interrupted_ = true;
        confirmed = f.verdict == Verdict::confirmed;
      }
    }
  }
  return {};
}

// Findings have their names and verdicts: each process becomes a run that can be opened, or goes.
Result<void> TestCommand::write_runs(std::vector<ProcessRun>& runs) const {
  for (ProcessRun& run : runs) {
    if (!run.directory) continue;
    if (run.result.findings.empty() && run.result.dismissed.empty() && run.trouble().empty() &&
        !keep_all) {
      std::error_code error;
      fs::remove_all(run.directory->path(), error);
      continue;
    }
    if (!run.failure.empty()) continue;
    if (auto done = write_text(run.directory->findings(), to_json(run.result)); !done) return done;
  }
  return {};
}

Result<void> TestCommand::write_junit(const std::vector<ProcessRun>& runs,
                                      const MergedResult& merged) const {
  if (junit.empty()) return {};
  std::error_code ignored;
  const std::string here = fs::current_path(ignored).string();
  return write_text(junit, to_junit(runs, merged, [&](const Finding& f) {
                      AnalysisResult alone;
                      alone.findings.push_back(f);
                      const std::string text =
                          to_text(alone, {.tests = &merged.tests, .directory = here});
                      return text.substr(0, text.rfind("\n\n") + 1);
                    }));
}

Result<ExitCode> TestCommand::run() const {
  FORETELL_TRY(targets, reports.targets(kStandardError));
  FORETELL_TRY(command, required_program("test"));
  // A misspelt option must not cost a run of all tests.
  SessionOptions options;
  FORETELL_TRY(selected, select_analyses(analyses));
  options.driver.analyses = selected;
  options.driver.jobs = jobs > 1 ? 1 : 0;
  options.jobs = jobs;
  FORETELL_TRY(directory, RunDirectory::create(".foretell", output));
  const std::string root = fs::absolute(directory.path()).string();
  options.recordings = root + "/recordings";
  options.processes = root + "/processes";
  options.how = {.version = FORETELL_VERSION,
                 .mode = parallel ? "parallel" : "controlled",
                 .strategy = strategy,
                 .seed = seed};
  FORETELL_TRY(runtime, runtime_options(options.recordings));
  std::error_code error;
  fs::create_directory(options.recordings, error);
  fs::create_directory(options.processes, error);
  for (const char* part : {"/schedules", "/outputs"}) fs::remove(root + part, error);

  note_signals();
  const auto session = TestSession::start(options);
  auto end =
      launch({.command = command, .environment = {{"FORETELL_OPTIONS", runtime.to_string()}}});
  if (!end) {
    session->stop();
    session->wait(std::chrono::seconds(1));
    fs::remove_all(root, error);
    return std::unexpected(std::move(end).error());
  }
  if (end->interrupted) interrupted_ = true;
  session->command_ended();
  // No test runs any more; what was recorded is all there is.

  Progress progress;
  bool all_done = false;
  while (!all_done && !interrupted_) {
    all_done = session->wait(std::chrono::milliseconds(100));
    const auto [done, known] = session->count();
    progress.update(fmt::format("analyse: {} of {} processes", done, known),
                    known == 0 ? 0 : static_cast<double>(done) / static_cast<double>(known));
  }
  const auto [done, known] = session->count();
  std::vector<ProcessRun> runs = session->take_runs();
  CTestNames names(root + "/tests.json");
  for (ProcessRun& run : runs) run.test = names.test_of(run.process);
  const std::vector<MergedFinding> merged = merge_findings(runs);
  for (ProcessRun& run : runs) {
    if (!run.directory || !run.failure.empty() || run.result.findings.empty()) continue;
    if (auto added = add_schedules(*run.directory, run.result); !added) {
      return std::unexpected(std::move(added).error());
    }
  }
  if (auto tried = replay(runs, merged, progress); !tried) {
    return std::unexpected(std::move(tried).error());
  }
  progress.clear();
  // Every verdict is final.

  MergedResult all = merged_result(runs, merged, command_text(command));
  AnalysisResult& result = all.result;
  if (runs.empty() && !interrupted_) {
    result.warnings.push_back(
        {"nothing was recorded: build the tests with 'foretell cc' or "
         "'foretell c++', or foretell_instrument(TARGET) in CMake",
         ""});
  }
  if (interrupted_) {
    result.warnings.push_back(
        {fmt::format("interrupted: {} of {} recorded processes were analysed", done, known), ""});
  }
  if (auto written = write_runs(runs); !written) return std::unexpected(written.error());
  for (const auto& [path, text] :
       {std::pair(directory.findings(), to_json(result, {.tests = &all.tests})),
        std::pair(directory.path() + RunDirectory::kTestFile,
                  to_test_json(runs, all.tests, command, fs::current_path(error).string()))}) {
    if (auto written = write_text(path, text); !written) return std::unexpected(written.error());
  }
  if (auto published = directory.publish(); !published) return std::unexpected(published.error());
  if (auto written = write_junit(runs, all); !written) return std::unexpected(written.error());
  if (auto written = reports.write(result, targets, &all.tests); !written) {
    return std::unexpected(written.error());
  }
  fs::remove_all(options.recordings, error);
  const size_t real = result.count(Verdict::confirmed) + result.count(Verdict::predicted);
  const auto code = real > 0 ? static_cast<ExitCode>(findings_exit_code)
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
      app.add_subcommand("test", "Record, analyse and replay every process below a command");
  command->add_option("-o,--output", state->output,
                      "Folder for the results (default: a new one in .foretell)");
  command->add_option("--seed", state->seed, "Seed of the scheduler's choices in each process");
  command
      ->add_option("--strategy", state->strategy,
                   "Who runs next: round-robin, random, or pct (priorities\nthat change at random)")
      ->check(CLI::IsMember({"round-robin", "random", "pct"}));
  command->add_flag("--parallel", state->parallel,
                    "Let threads run at once; faster, but no seed repeats it");
  command
      ->add_option("-j,--jobs", state->jobs,
                   "Processes analysed at once (default: half the processors)")
      ->check(CLI::Range(1u, 1024u));
  command->add_option("--timeout", state->timeout, "End a process after so many seconds")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--disk-limit", state->disk_limit,
                   "Stop recording a process at this size, like 500M;\nit goes on unrecorded")
      ->capture_default_str();
  command->add_option("--analysis", state->analyses,
                      "Analyses by name, separated by commas, or default, or all\n"
                      "('foretell list analyses' names them)");
  command->add_flag("--no-replay", state->no_replay, "Do not replay what was predicted");
  command->add_option("--replays", state->most_replays, "Replay at most so many findings");
  command
      ->add_option("--replay-timeout", state->replay_timeout,
                   "End a replay after so many seconds (default: 20 times\nthe recorded run, at "
                   "least 10)")
      ->check(CLI::PositiveNumber);
  command->add_flag("--keep-all", state->keep_all, "Keep the runs of processes without findings");
  state->reports.add_to(*command);
  command->add_option("--junit", state->junit, "Also write JUnit XML to this file");
  command->add_option("--exitcode", state->findings_exit_code, "Exit code when there are findings")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Form: foretell test [OPTIONS] -- COMMAND [ARGUMENTS...]\n\n"
      "Processes are recorded while the command runs, and analysed as they end; replays begin\n"
      "when it has ended. Findings of several processes at the same places are one. They are\n"
      "attributed to CTest's tests, and to GoogleTest's cases where <foretell/gtest.h> is\n"
      "included. docs/testing.md has the details.\n"
      "Exits with 66 if there are findings, else as the command did.\n"
      "Example: foretell test --junit=foretell.xml -- ctest --test-dir build -j4");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli

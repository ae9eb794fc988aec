// foretell replay FINDING: force a schedule on the real program and say what came of it.

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/input_file.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/export_test.h"
#include "cli/recording_options.h"
#include "replay/debugging.h"
#include "replay/finding_file.h"
#include "replay/recorder.h"
#include "replay/replayer.h"
#include "report/side_by_side.h"
#include "schedule/minimise.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

// What is to be replayed: a finding, a schedule or a seed.
struct Subject {
  std::string name;
  std::optional<Finding> finding;
  std::optional<Schedule> schedule;
  std::string schedule_file;
};

struct ReplayCommand {
  std::string finding;
  std::string schedule;
  std::optional<uint64_t> seed;
  std::string run_path;
  std::string binary;
  uint64_t repeat = 1;
  bool gdb = false;
  bool launch_json = false;
  std::string export_test;
  bool minimise_it = false;
  uint64_t most_tries = 200;
  double timeout = 0;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  Result<ExitCode> run() const;
  Result<Subject> subject(const RunDirectory& directory) const;
  Result<RunInfo> program(const std::optional<RunDirectory>& directory) const;
  Result<ReplayResult> once(const Replayer& replayer, const Subject& subject,
                            Streams streams) const;
  Result<void> show_outputs(const Replayer& replayer, const Subject& subject) const;
  Result<ExitCode> repeat_it(const Replayer& replayer, const Subject& subject) const;
  Result<DebugPlan> prepare_debugger(const Replayer& replayer, const Subject& subject) const;
  Result<ExitCode> debug(const Replayer& replayer, const Subject& subject) const;
  Result<ExitCode> print_launch(const Replayer& replayer, const Subject& subject) const;
  Result<ExitCode> write_test(const Replayer& replayer, const Subject& subject) const;
  Result<ExitCode> minimise_schedule(const Replayer& replayer, const Subject& subject) const;
  ExitCode exit_code_of(const ReplayResult& result, const Subject& subject) const;
};

void say(const std::string& text) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

Result<Subject> ReplayCommand::subject(const RunDirectory& directory) const {
  const int named = !finding.empty() + !schedule.empty() + seed.has_value();
  if (named != 1) {
    return usage_error("name one thing to replay: a finding like race-1, --schedule or --seed");
  }
  Subject subject;
  if (seed) {
    subject.name = fmt::format("seed-{}", *seed);
    return subject;
  }
  if (!schedule.empty()) {
    FORETELL_TRY(parsed, read_schedule(schedule));
    subject.name = "schedule";
    subject.schedule = parsed;
    return subject;
  }
  FORETELL_TRY(found, read_finding(directory.findings(), finding));
  if (!found.witness) {
    return std::unexpected(
        Diagnostic{fmt::format("{} has no witness, so there is no schedule to replay", finding), ""}
            .with_note(found.reason));
  }
  FORETELL_TRY(parsed, read_schedule(directory.schedule(finding)));
  subject.name = finding;
  subject.finding = std::move(found);
  subject.schedule = parsed;
  subject.schedule_file = directory.schedule(finding);
  return subject;
}

// What to run: as recorded, with the program of the command line or of --binary in its place.
Result<RunInfo> ReplayCommand::program(const std::optional<RunDirectory>& directory) const {
  RunInfo info;
  if (directory) {
    FORETELL_TRY(recorded, directory->info());
    info = recorded;
  }
  if (!program_words().empty()) {
    info.command = program_words();
    info.directory = fs::current_path().string();
    info.standard_input.clear();
  }
  if (info.command.empty()) {
    return usage_error("name the program after --: foretell replay --schedule=... -- ./program");
  }
  if (!binary.empty()) {
    info.command[0] = fs::absolute(binary).string();
    FORETELL_TRY(build, build_id_of(binary));
    if (directory && build != info.build) {
      say(fmt::format(
          "warning: {} is another build than the recorded one; the replay may diverge\n", binary));
    }
    return info;
  }
  FORETELL_TRY(path, find_program(info.command[0], info.directory));
  // A schedule or a seed alone may be tried on any program.
  if (!finding.empty()) {
    auto same = check_same_build(info, path, directory->path());
    if (!same) {
      same.error().message =
          fmt::format("{} was recorded from a different build of {}", finding, info.command[0]);
      return std::unexpected(std::move(same).error());
    }
  }
  return info;
}

Result<ReplayResult> ReplayCommand::once(const Replayer& replayer, const Subject& subject,
                                         Streams streams) const {
  const ReplayRequest request{.name = subject.name,
                              .after = AfterSchedule::go_on,
                              .streams = streams,
                              .time_limit = time_limit(timeout)};
  if (!subject.schedule) {
    const RunInfo& info = replayer.info();
    const bool same = info.events > 0 && info.seed == *seed && info.mode == "controlled" &&
                      program_words().empty();
    return replayer.run_seed(*seed, same, request);
  }
  if (!subject.finding) return replayer.replay(*subject.schedule, nullptr, request);
  const Expectation expectation = expectation_of(*subject.finding);
  return replayer.replay(*subject.schedule, &expectation, request);
}

ExitCode ReplayCommand::exit_code_of(const ReplayResult& result, const Subject& subject) const {
  switch (result.outcome) {
    case ReplayOutcome::reproduced:
      return static_cast<ExitCode>(subject.finding ? findings_exit_code : result.end.exit_status());
    case ReplayOutcome::not_reproduced:
      return ExitCode::clean;
    case ReplayOutcome::diverged:
      return ExitCode::bad_input;
    case ReplayOutcome::crashed:
      return static_cast<ExitCode>(result.end.exit_status());
    case ReplayOutcome::timed_out:
      return ExitCode::cut_short;
  }
  return ExitCode::internal_error;
}

Result<void> ReplayCommand::show_outputs(const Replayer& replayer, const Subject& subject) const {
  const ReplayRequest request{.name = "recorded", .time_limit = time_limit(timeout)};
  auto again = replayer.run_seed(replayer.info().seed, false, request);
  if (!again) return std::unexpected(std::move(again).error());
  FORETELL_TRY(recorded, InputFile::open(replayer.directory().output(request.name)));
  FORETELL_TRY(replayed, InputFile::open(replayer.directory().output(subject.name)));
  return write_text("-",
                    side_by_side("recorded", recorded.bytes(), subject.name, replayed.bytes()));
}

Result<ExitCode> ReplayCommand::repeat_it(const Replayer& replayer, const Subject& subject) const {
  std::map<ReplayOutcome, uint64_t> counts;
  std::optional<ReplayResult> last;
  // What the program prints is what another value is about.
  const bool compare = subject.finding && subject.finding->kind == FindingKind::nondeterminism &&
                       replayer.info().mode == "controlled";
  for (uint64_t i = 0; i < repeat; ++i) {
    const bool pass = repeat == 1 && !compare;
    FORETELL_TRY(result,
                 once(replayer, subject, pass ? Streams::passed_through : Streams::captured));
    ++counts[result.outcome];
    last = result;
    if (result.end.interrupted) break;
  }
  if (repeat == 1) {
    if (compare) {
      if (auto shown = show_outputs(replayer, subject); !shown) {
        return std::unexpected(std::move(shown).error());
      }
    }
    say(fmt::format("foretell: {}: {}: {}\n", subject.name, word_of(last->outcome),
                    last->explanation));
    return exit_code_of(*last, subject);
  }
  std::string text = fmt::format("foretell: {}:", subject.name);
  for (const auto& [outcome, count] : counts) {
    text += fmt::format(" {} {} of {}", word_of(outcome), count, repeat);
  }
  if (counts.size() > 1) {
    say(text + ": the replays do not agree\n");
    return ExitCode::cut_short;
  }
  say(text + fmt::format(": {}\n", last->explanation));
  return exit_code_of(*last, subject);
}

// Files that a debugger reads: the schedule and what its steps are.
Result<DebugPlan> ReplayCommand::prepare_debugger(const Replayer& replayer,
                                                  const Subject& subject) const {
  if (!subject.schedule) return usage_error("a debugger needs a finding or a schedule, not a seed");
  const uint64_t steps = subject.schedule->steps();
  const bool race = subject.finding && subject.finding->kind == FindingKind::race;
  // Before the first of the two accesses both threads are about to take theirs.
  const uint64_t pause_at = race ? steps - 1 : steps;
  const RunDirectory& directory = replayer.directory();
  const std::string schedule_file = directory.scratch("replay-gdb.ft1");
  const std::string steps_file = directory.scratch("replay-gdb.json");
  auto written = write_text(schedule_file, subject.schedule->to_file(subject.name));
  if (written) {
    written = write_steps(steps_file, directory, subject.name, *subject.schedule,
                          subject.finding ? &*subject.finding : nullptr);
  }
  if (!written) return std::unexpected(std::move(written).error());
  return plan_debugging(replayer, subject.name, schedule_file, steps_file, pause_at);
}

Result<ExitCode> ReplayCommand::debug(const Replayer& replayer, const Subject& subject) const {
  FORETELL_TRY(plan, prepare_debugger(replayer, subject));
  const RunInfo& info = replayer.info();
  std::vector<std::string> command = {"gdb", "-q"};
  for (const std::string& line : plan.options) command.insert(command.end(), {"-ex", line});
  command.insert(command.end(), {"-ex", "cd " + info.directory});
  for (const auto& [name, value] : plan.environment) {
    command.insert(command.end(), {"-ex", fmt::format("set environment {}={}", name, value)});
  }
  for (const char* line : {"run", "backtrace 6", "info schedule 4"}) {
    command.insert(command.end(), {"-ex", line});
  }
  command.insert(command.end(), {"--args", plan.program});
  command.insert(command.end(), info.command.begin() + 1, info.command.end());
  const bool race = subject.finding && subject.finding->kind == FindingKind::race;
  say(
      fmt::format("foretell: gdb stops in __foretell_reached {}.\n"
                  "  info schedule     who does what next, and where\n"
                  "  schedule-where    where every thread stands\n"
                  "  schedule-next     take one step of the schedule\n"
                  "  thread N, up      look at one of the threads\n"
                  "  continue          let it happen\n",
                  race ? "where both accesses are pending" : "before the last step"));
  FORETELL_TRY(end, launch({.command = command}));
  remove_recordings(replayer.directory().scratch("replay-gdb.recording"));
  std::error_code error;
  for (const char* name : {"replay-gdb.ft1", "replay-gdb.json"}) {
    fs::remove(replayer.directory().scratch(name), error);
  }
  return static_cast<ExitCode>(end.exit_status());
}

Result<ExitCode> ReplayCommand::print_launch(const Replayer& replayer,
                                             const Subject& subject) const {
  FORETELL_TRY(plan, prepare_debugger(replayer, subject));
  auto written = write_text("-", to_launch_json(plan, replayer.info()));
  if (!written) return std::unexpected(std::move(written).error());
  return ExitCode::clean;
}

Result<ExitCode> ReplayCommand::write_test(const Replayer& replayer, const Subject& subject) const {
  if (!subject.finding) return usage_error("--export-test needs a finding");
  FORETELL_TRY(base,
               export_as_test(*subject.finding, *subject.schedule, replayer.info(), export_test));
  say(fmt::format(
      "foretell: {0}: wrote {1}.cmake (a test for CTest), {1}.json and {1}.ft1 (what it\n"
      "looks for), {1}.tiddle and {1}.cc (the smallest program with the same bug)\n",
      subject.name, base));
  return ExitCode::clean;
}

Result<ExitCode> ReplayCommand::minimise_schedule(const Replayer& replayer,
                                                  const Subject& subject) const {
  if (!subject.schedule) return usage_error("--minimise needs a finding or a schedule, not a seed");
  FORETELL_TRY(first, once(replayer, subject, Streams::captured));
  const bool shows = subject.finding ? first.outcome == ReplayOutcome::reproduced
                                     : first.outcome == ReplayOutcome::crashed ||
                                           first.facts.state == recording::State::deadlock;
  if (!shows) {
    say(fmt::format("foretell: {}: nothing to minimise: {}: {}\n", subject.name,
                    word_of(first.outcome), first.explanation));
    return exit_code_of(first, subject);
  }
  std::optional<Diagnostic> failure;
  auto still_reproduces = [&](const Schedule& candidate) {
    if (failure) return false;
    std::optional<Expectation> expectation;
    if (subject.finding) {
      expectation = expectation_of(*subject.finding);
      // A rearranged witness is none any more; the sites still say what must be reached.
      expectation->witness = nullptr;
    }
    // A block may have to go on, and the intruder before it, to show what they do.
    const bool to_the_end = !subject.finding || subject.finding->kind == FindingKind::atomicity;
    auto replayed =
        replayer.replay(candidate, expectation ? &*expectation : nullptr,
                        {.name = subject.name,
                         .after = to_the_end ? AfterSchedule::go_on : AfterSchedule::stop,
                         .time_limit = time_limit(timeout),
                         .only_exactly = !subject.finding || !to_the_end});
    if (!replayed) {
      failure = replayed.error();
      return false;
    }
    if (subject.finding) return replayed->outcome == ReplayOutcome::reproduced;
    return replayed->outcome == first.outcome && replayed->end.status == first.end.status &&
           replayed->facts.state == first.facts.state;
  };
  const bool race = subject.finding && subject.finding->kind == FindingKind::race;
  const Minimised smallest = minimise(*subject.schedule, still_reproduces,
                                      {.most_tries = most_tries, .pinned_steps = race ? 2u : 0u});
  if (failure) return std::unexpected(*failure);
  const std::string file = replayer.directory().schedule(subject.name + "-minimised");
  auto written =
      write_text(file, smallest.schedule.to_file(fmt::format("{}, minimised", subject.name)));
  if (!written) return std::unexpected(std::move(written).error());
  say(fmt::format("foretell: {}: {} thread switches instead of {} ({} replays{})\n  {}\n",
                  subject.name, smallest.schedule.switches(), subject.schedule->switches(),
                  smallest.tries, smallest.cut_short ? ", cut short: --tries allows more" : "",
                  file));
  const std::string text = smallest.schedule.to_string();
  constexpr size_t kLongestShown = 200;
  if (text.size() <= kLongestShown) say("  " + text + "\n");
  return exit_code_of(first, subject);
}

Result<ExitCode> ReplayCommand::run() const {
  std::optional<RunDirectory> directory;
  const bool needs_run = !finding.empty() || program_words().empty() || !run_path.empty();
  auto opened = RunDirectory::open_for(run_path, finding);
  if (opened) {
    directory = *opened;
  } else if (needs_run) {
    return std::unexpected(std::move(opened).error());
  }
  FORETELL_TRY(info, program(directory));
  // A program that was never recorded here needs a place for its files all the same.
  std::string scratch;
  if (!directory) {
    scratch = (fs::temp_directory_path() / "foretell-replay-XXXXXX").string();
    if (::mkdtemp(scratch.data()) == nullptr) return fail("cannot write to {}", scratch);
    FORETELL_TRY(made, RunDirectory::create("", scratch));
    directory = made;
  }
  struct Cleanup {
    const std::string& path;
    ~Cleanup() {
      std::error_code error;
      if (!path.empty()) fs::remove_all(path, error);
    }
  } cleanup{scratch};

  FORETELL_TRY(what, subject(*directory));
  const Replayer replayer(*directory, info);
  if (gdb) return debug(replayer, what);
  if (launch_json) return print_launch(replayer, what);
  if (!export_test.empty()) return write_test(replayer, what);
  if (minimise_it) return minimise_schedule(replayer, what);
  return repeat_it(replayer, what);
}

}  // namespace

void add_replay(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ReplayCommand>();
  CLI::App* command = app.add_subcommand("replay", "Force a schedule on the real program");
  command->add_option("FINDING", state->finding, "A finding of the last run: race-1");
  command->add_option("--schedule", state->schedule,
                      "A schedule instead: ft1:... or a file (docs/schedules.md)");
  command->add_option("--seed", state->seed, "A seed instead: run as it was recorded with it");
  command->add_option("--run", state->run_path, "The run to take it from (default: the last one)");
  command->add_option("--binary", state->binary, "Run this file instead of the recorded program");
  auto* repeat = command->add_option("--repeat", state->repeat, "Replay so often; all must agree")
                     ->check(CLI::PositiveNumber);
  auto* gdb =
      command->add_flag("--gdb", state->gdb, "Stop under gdb where both accesses are pending")
          ->excludes(repeat);
  command->add_flag("--print-launch-json", state->launch_json,
                    "Print a VS Code launch.json that debugs the replay");
  command->add_option("--export-test", state->export_test,
                      "Write a CTest case that fails while the bug is there,\nand the smallest "
                      "program with the same bug, into this folder");
  command
      ->add_flag("--minimise,--minimize", state->minimise_it,
                 "Look for the fewest thread switches that still reproduce it")
      ->excludes(repeat)
      ->excludes(gdb);
  command->add_option("--tries", state->most_tries, "--minimise: replay at most so often");
  command->add_option("--timeout", state->timeout, "End a replay after so many seconds")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--exitcode", state->findings_exit_code,
                   "Exit code when a finding was reproduced")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Form: foretell replay [OPTIONS] FINDING | --schedule=... | --seed=N [-- PROGRAM ...]\n\n"
      "Exits with 66 if a finding was reproduced, 0 if not, 65 if the replay diverged, 69 if it\n"
      "timed out or repetitions disagree, 128 + signal if the program crashed; a schedule or seed\n"
      "alone exits as the program did.\n"
      "Example: foretell replay race-1 --repeat=20");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli

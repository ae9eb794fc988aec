// SPDX-License-Identifier: Apache-2.0

// foretell replay FINDING: force a schedule on the real program and say what came of it.

#include <stdlib.h>

#include <filesystem>
#include <map>

#include "base/input_file.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/export_test.h"
#include "cli/recording_options.h"
#include "cli/replay_debugger.h"
#include "cli/replay_minimize.h"
#include "cli/replay_subject.h"
#include "replay/places.h"
#include "replay/replayer.h"
#include "report/side_by_side.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;

struct ReplayCommand {
  SubjectOptions what;
  uint64_t repeat = 1;
  bool gdb = false;
  bool launch_json = false;
  std::string export_test;
  bool minimize_it = false;
  uint64_t most_tries = MinimizeLimits{}.most_tries;
  double timeout = 0;
  int findings_exit_code = static_cast<int>(ExitCode::findings);

  Result<ExitCode> run() const;
  Result<ReplaySubject> settled(const replay::Replayer& replayer) const;
  Result<replay::ReplayResult> once(const replay::Replayer& replayer, const ReplaySubject& subject,
                                    replay::Streams streams) const;
  Result<void> show_outputs(const replay::Replayer& replayer, const ReplaySubject& subject) const;
  Result<ExitCode> repeat_it(const replay::Replayer& replayer, const ReplaySubject& subject) const;
  Result<void> write_test(const replay::Replayer& replayer, const ReplaySubject& subject) const;
  Result<ExitCode> minimize_schedule(const replay::Replayer& replayer,
                                     const ReplaySubject& subject) const;
  ExitCode exit_code_of(const replay::ReplayResult& result, const ReplaySubject& subject) const;
};

Result<replay::ReplayResult> ReplayCommand::once(const replay::Replayer& replayer,
                                                 const ReplaySubject& subject,
                                                 replay::Streams streams) const {
  const replay::ReplayRequest request{.name = subject.name,
                                      .after = replay::AfterSchedule::go_on,
                                      .streams = streams,
                                      .time_limit = time_limit(timeout)};
  if (!subject.schedule) {
    const launch::RunInfo& info = replayer.info();
    const bool same = info.events > 0 && info.seed == *what.seed &&
                      info.mode == recording::Mode::controlled && program_words().empty();
    return replayer.run_seed(*what.seed, same, request);
  }
  if (!subject.finding) return replayer.replay(*subject.schedule, nullptr, request);
  const replay::Expectation expectation = replay::expectation_of(*subject.finding);
  return replayer.replay(*subject.schedule, &expectation, request);
}

ExitCode ReplayCommand::exit_code_of(const replay::ReplayResult& result,
                                     const ReplaySubject& subject) const {
  switch (result.outcome) {
    case replay::ReplayOutcome::reproduced:
      return static_cast<ExitCode>(subject.finding ? findings_exit_code : result.end.exit_status());
    case replay::ReplayOutcome::not_reproduced:
      return ExitCode::clean;
    case replay::ReplayOutcome::diverged:
      return ExitCode::bad_input;
    case replay::ReplayOutcome::crashed:
      return static_cast<ExitCode>(result.end.exit_status());
    case replay::ReplayOutcome::timed_out:
      return ExitCode::cut_short;
  }
  return ExitCode::internal_error;
}

Result<void> ReplayCommand::show_outputs(const replay::Replayer& replayer,
                                         const ReplaySubject& subject) const {
  const replay::ReplayRequest request{.name = "recorded", .time_limit = time_limit(timeout)};
  auto again = replayer.run_seed(replayer.info().seed, false, request);
  if (!again) return std::unexpected(std::move(again).error());
  FORETELL_TRY(recorded, InputFile::open(replayer.directory().output(request.name)));
  FORETELL_TRY(replayed, InputFile::open(replayer.directory().output(subject.name)));
  return write_text(
      "-", report::side_by_side("recorded", recorded.bytes(), subject.name, replayed.bytes()));
}

Result<ExitCode> ReplayCommand::repeat_it(const replay::Replayer& replayer,
                                          const ReplaySubject& subject) const {
  std::map<replay::ReplayOutcome, uint64_t> counts;
  std::map<replay::ReplayOutcome, std::string> explanations;  // of the first of each
  std::optional<replay::ReplayResult> last;
  // What the program prints is what another value is about.
  const bool compare = subject.ends(finding::WitnessEnd::last_read) &&
                       replayer.info().mode == recording::Mode::controlled;
  for (uint64_t i = 0; i < repeat; ++i) {
    const bool pass = repeat == 1 && !compare;
    FORETELL_TRY(result, once(replayer, subject,
                              pass ? replay::Streams::passed_through : replay::Streams::captured));
    ++counts[result.outcome];
    explanations.try_emplace(result.outcome, result.explanation);
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
    text += ": the replays do not agree\n";
    for (const auto& [outcome, explanation] : explanations) {
      text += fmt::format("  {}: {}\n", word_of(outcome), explanation);
    }
    say(text);
    return ExitCode::cut_short;
  }
  say(text + fmt::format(": {}\n", last->explanation));
  return exit_code_of(*last, subject);
}

Result<void> ReplayCommand::write_test(const replay::Replayer& replayer,
                                       const ReplaySubject& subject) const {
  if (!subject.finding) return usage_error("--export-test needs a finding");
  FORETELL_TRY(test, export_as_test(*subject.finding, *subject.schedule, replayer.directory(),
                                    replayer.info(), export_test));
  say(fmt::format(
      "foretell: {0}: wrote {1}.cmake (a test for CTest), {1}.json and {1}.ft1 (what it\n"
      "looks for){2}\n",
      subject.name, test.base,
      test.has_program
          ? fmt::format(", {0}.tiddle and {0}.cc (the smallest program with the same bug)",
                        test.base)
          : "; there is no smaller program for a deadlock like this"));
  return {};
}

Result<ExitCode> ReplayCommand::minimize_schedule(const replay::Replayer& replayer,
                                                  const ReplaySubject& subject) const {
  if (!subject.schedule) return usage_error("--minimize needs a finding or a schedule, not a seed");
  FORETELL_TRY(first, once(replayer, subject, replay::Streams::captured));
  auto done = minimize_replay(replayer, subject, first,
                              {.most_tries = most_tries, .time_limit = time_limit(timeout)});
  if (!done) return std::unexpected(std::move(done).error());
  return exit_code_of(first, subject);
}

// What is to be replayed, with its steps.
Result<ReplaySubject> ReplayCommand::settled(const replay::Replayer& replayer) const {
  FORETELL_TRY(subject, what.subject(replayer.directory()));
  if (!subject.places) return std::move(subject);
  auto steps = replay::steps_of_places(replayer, *subject.places,
                                       {.name = subject.name, .time_limit = time_limit(timeout)});
  if (!steps) return std::unexpected(std::move(steps).error());
  subject.schedule = *std::move(steps);
  say(fmt::format("foretell: {}: {}\n  is now {}\n", subject.name, subject.places->to_string(),
                  subject.schedule->to_string()));
  return std::move(subject);
}

Result<ExitCode> ReplayCommand::run() const {
  std::optional<launch::RunDirectory> directory;
  const bool needs_run = !what.finding.empty() || program_words().empty() || !what.run_path.empty();
  auto opened = launch::RunDirectory::open_for(what.run_path, what.finding);
  if (opened) {
    directory = *opened;
  } else if (needs_run) {
    return std::unexpected(std::move(opened).error());
  }
  FORETELL_TRY(info, what.program(directory));
  // A program that was never recorded here needs a place for its files all the same.
  std::string scratch;
  if (!directory) {
    scratch = (fs::temp_directory_path() / "foretell-replay-XXXXXX").string();
    if (::mkdtemp(scratch.data()) == nullptr) return fail("cannot write to {}", scratch);
    FORETELL_TRY(made, launch::RunDirectory::create("", scratch));
    directory = made;
  }
  struct Cleanup {
    const std::string& path;
    ~Cleanup() {
      std::error_code error;
      if (!path.empty()) fs::remove_all(path, error);
    }
  } cleanup{scratch};

  const replay::Replayer replayer(*directory, info);
  FORETELL_TRY(subject, settled(replayer));
  if (gdb) return debug_replay(replayer, subject);
  if (minimize_it) return minimize_schedule(replayer, subject);
  if (!launch_json && export_test.empty()) return repeat_it(replayer, subject);
  auto written = launch_json ? print_launch_json(replayer, subject) : write_test(replayer, subject);
  if (!written) return std::unexpected(std::move(written).error());
  return ExitCode::clean;
}

}  // namespace

void add_replay(CLI::App& app, ExitCode& exit_code) {
  auto state = std::make_shared<ReplayCommand>();
  CLI::App* command = app.add_subcommand("replay", "Force a schedule on the real program");
  state->what.add_to(*command);
  auto* repeat =
      command->add_option("--repeat", state->repeat, "Replay N times; all replays must agree")
          ->check(CLI::PositiveNumber);
  auto* gdb =
      command->add_flag("--gdb", state->gdb, "Stop under gdb where both accesses are pending")
          ->excludes(repeat);
  command->add_flag("--print-launch-json", state->launch_json,
                    "Print a VS Code launch.json that debugs the replay");
  command->add_option("--export-test", state->export_test,
                      "Write a CTest test that fails while the bug exists,\nand the smallest "
                      "program with the same bug, into this folder");
  command
      ->add_flag("--minimize", state->minimize_it,
                 "Search for a schedule with fewer thread switches")
      ->excludes(repeat)
      ->excludes(gdb);
  // The spelling of version 0.1.
  command->add_flag("--minimise", state->minimize_it)->group("")->excludes(repeat)->excludes(gdb);
  command->add_option("--tries", state->most_tries, "--minimize: replay at most N times");
  command->add_option("--timeout", state->timeout, "End a replay after N seconds")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--exitcode", state->findings_exit_code,
                   "Exit code when a finding was reproduced")
      ->check(CLI::Range(0, 255));
  command->footer(
      "Form: foretell replay [OPTIONS] FINDING | --schedule=... | --seed=N [-- PROGRAM ...]\n\n"
      "Exits with 66 if a finding was reproduced, 0 if not, 65 if the replay diverged, 69 if it\n"
      "timed out or repetitions disagree, 128 + signal if the program crashed. A schedule or seed\n"
      "without a finding exits with the program's status.\n"
      "Example: foretell replay race-1 --repeat=20");
  command->callback([state, &exit_code] {
    auto outcome = state->run();
    exit_code = outcome ? *outcome : report(outcome.error());
  });
}

}  // namespace foretell::cli

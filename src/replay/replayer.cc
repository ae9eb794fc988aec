// SPDX-License-Identifier: Apache-2.0

#include "replay/replayer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/input_file.h"
#include "base/output.h"
#include "launch/program.h"
#include "launch/recorder.h"
#include "recording/stacks.h"
#include "replay/comparison.h"
#include "replay/observation.h"

namespace foretell::replay {
namespace {

namespace fs = std::filesystem;

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

bool has_header(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[sizeof recording::kMagic];
  return file.read(magic, sizeof magic) && std::memcmp(magic, recording::kMagic, sizeof magic) == 0;
}

std::string explain(const trace::RecordingFacts& facts) {
  using enum recording::Divergence;
  const std::string at = fmt::format("replay diverged at step {}: T{}", facts.divergence_step + 1,
                                     facts.divergence_thread);
  switch (facts.divergence) {
    case none:
      break;
    case blocked:
      return at + " was to continue but is blocked";
    case finished:
      return at + " was to continue but has ended";
    case missing:
      return at + " was to continue but was not created";
  }
  return "";
}

}  // namespace

std::string_view word_of(ReplayOutcome outcome) {
  switch (outcome) {
    case ReplayOutcome::reproduced:
      return "Reproduced";
    case ReplayOutcome::not_reproduced:
      return "NotReproduced";
    case ReplayOutcome::diverged:
      return "Diverged";
    case ReplayOutcome::crashed:
      return "Crashed";
    case ReplayOutcome::timed_out:
      return "TimedOut";
  }
  return "";
}

struct Replayer::Attempt {
  launch::LaunchEnd end;
  bool recorded = false;
  trace::RecordingFacts facts;
  std::unique_ptr<trace::TraceReader> reader;
  std::string output;  // file, if it was captured
};

std::string Replayer::recording_of(const ReplayRequest& request) const {
  return fs::absolute(directory_.scratch("replay-" + request.name + ".recording")).string();
}

launch::RuntimeOptions Replayer::options_for(const ReplayRequest& request) const {
  launch::RuntimeOptions options = launch::RuntimeOptions::from_environment();
  options.set("record", recording_of(request))
      .set("mode", trace::word_of(recording::Mode::controlled))
      .set("repeats", info_.keep_repeats ? "keep" : "leave-out")
      .set("time", info_.start_time_ns)
      .set("watch", info_.only_contended ? 1 : 0);
  if (info_.only_contended) {
    options.set("contended", fs::absolute(directory_.contended()).string());
  }
  return options;
}

Result<launch::LaunchEnd> Replayer::run(const launch::RuntimeOptions& options,
                                        const ReplayRequest& request) const {
  constexpr double kLeast = 10, kSlower = 20;
  launch::LaunchRequest launched{.command = info_.command, .directory = info_.directory};
  launched.environment = options.environment(info_.environment);
  launched.unset_variables = info_.unset_variables;
  launched.time_limit = request.time_limit.value_or(std::chrono::milliseconds(
      static_cast<int64_t>(1000 * std::max(kLeast, kSlower * info_.seconds))));
  launched.input = info_.standard_input.empty() || !fs::exists(info_.standard_input)
                       ? "/dev/null"
                       : info_.standard_input;
  launched.deadline = request.deadline;
  launched.stop = request.stop;
  launched.dies_with_us = true;
  launched.recording = recording_of(request);
  if (request.streams == Streams::captured) {
    launched.output = launched.error = fs::absolute(directory_.output(request.name)).string();
  }
  launch::remove_recordings(recording_of(request));
  return launch::launch(launched);
}

Result<Replayer::Attempt> Replayer::attempt(const std::string& schedule_file, bool let_others_run,
                                            const ReplayRequest& request) const {
  launch::RuntimeOptions options = options_for(request);
  options.set("strategy", "round-robin")
      .set("seed", info_.seed)
      .set("schedule", fs::absolute(schedule_file).string())
      .set("follow", let_others_run ? "witness" : "exact")
      .set("after", request.after == AfterSchedule::stop ? "stop" : "continue");
  if (request.hold_after != 0) {
    options.set("hold_after", request.hold_after).set("hold_reads", request.hold_reads);
  }
  FORETELL_TRY(end, run(options, request));
  Attempt attempt{.end = end};
  if (request.streams == Streams::captured) attempt.output = directory_.output(request.name);
  if (!fs::exists(recording_of(request))) return attempt;
  // Who is stopped at once has not written the header yet.
  if (end.kind != launch::EndKind::exited && !has_header(recording_of(request))) return attempt;
  FORETELL_TRY(facts, trace::read_recording_facts(recording_of(request)));
  FORETELL_TRY(reader, launch::open_recording(recording_of(request)));
  attempt.recorded = true;
  attempt.facts = facts;
  attempt.reader = std::move(reader);
  // The reader has it mapped; nobody else needs the file.
  launch::remove_recordings(recording_of(request));
  return attempt;
}

Result<ReplayResult> Replayer::judge(const Attempt& attempt, const schedule::Schedule& schedule,
                                     const Expectation* expectation, bool let_others_run) const {
  using enum ReplayOutcome;
  ReplayResult result{.end = attempt.end, .facts = attempt.facts};
  auto say = [&](ReplayOutcome outcome, std::string explanation) {
    result.outcome = outcome;
    result.explanation = std::move(explanation);
    return result;
  };
  const bool killed = attempt.end.kind == launch::EndKind::signalled;
  std::string ending = attempt.end.describe();
  if (killed && !attempt.output.empty()) {
    if (const std::string line = last_line(attempt.output); !line.empty()) {
      ending += fmt::format(", its last words: {}", line);
    }
  }
  if (!attempt.recorded) {
    if (attempt.end.kind == launch::EndKind::timed_out)
      return say(timed_out, "the program " + ending);
    if (killed) return say(ReplayOutcome::crashed, "the program was " + ending);
    return say(not_reproduced, "the program left no recording: was it built with 'foretell cc'?");
  }

  const trace::RecordingFacts& facts = attempt.facts;
  const uint64_t steps = schedule.steps();
  const bool deadlock = facts.state == recording::State::deadlock;
  std::string seen_instead;
  if (expectation != nullptr) {
    FORETELL_TRY(
        seen,
        observe(*expectation, *attempt.reader,
                {.steps = let_others_run ? 0 : steps, .deadlocked = deadlock, .end = attempt.end}));
    switch (seen.kind) {
      case Observation::Kind::expected:
        if (killed && expectation->witness_end() != finding::WitnessEnd::blocked &&
            expectation->kind != finding::FindingKind::property)
          seen.text += "; then the program was " + ending;
        return say(reproduced, std::move(seen.text));
      case Observation::Kind::opposite:
        result.refuted = true;
        return say(not_reproduced, std::move(seen.text));
      case Observation::Kind::another:
        return say(not_reproduced, std::move(seen.text));
      case Observation::Kind::nothing:
        seen_instead = std::move(seen.text);
        break;
    }
  }
  if (attempt.end.kind == launch::EndKind::timed_out)
    return say(timed_out, "the program " + ending);

  // What follows was not what was expected: say where it began.
  std::optional<Difference> difference;
  if (expectation != nullptr && expectation->witness != nullptr && !let_others_run) {
    FORETELL_TRY(recorded, trace_.open());
    FORETELL_TRY(expected, ExpectedRun::open(std::move(recorded), expectation->witness->prefix_end,
                                             expectation->witness->steps));
    FORETELL_TRY(first, first_difference(expected, *attempt.reader));
    difference = std::move(first);
  }
  const bool left = facts.divergence != recording::Divergence::none;
  const bool early = difference && (!left || difference->step <= facts.divergence_step);
  if (killed) {
    return say(ReplayOutcome::crashed,
               fmt::format("the program was {}{}", ending, early ? "; " + difference->text : ""));
  }
  if (early) {
    return say(diverged,
               fmt::format("replay diverged at step {}: {}", difference->step, difference->text));
  }
  if (left) return say(diverged, explain(facts));
  if (facts.schedule_steps < steps && !deadlock) {
    return say(diverged, fmt::format("the program ended ({}) after step {} of {}", ending,
                                     facts.schedule_steps, steps));
  }
  if (expectation != nullptr) {
    return say(not_reproduced, "the schedule was followed to its end, but " +
                                   (seen_instead.empty() ? "nothing happened" : seen_instead));
  }
  std::string text =
      fmt::format("the schedule was followed ({} steps); the program {}", facts.schedule_steps,
                  deadlock                                   ? std::string("deadlocked")
                  : facts.state == recording::State::stopped ? std::string("was stopped there")
                                                             : ending);
  return say(reproduced, std::move(text));
}

Result<ReplayResult> Replayer::replay(const schedule::Schedule& schedule,
                                      const Expectation* expectation,
                                      const ReplayRequest& request) const {
  const std::string file = directory_.scratch("replay-" + request.name + ".ft1");
  if (auto written = write_text(file, schedule.to_file("being replayed")); !written) {
    return std::unexpected(std::move(written).error());
  }
  FORETELL_TRY(exact, attempt(file, false, request));
  auto result = judge(exact, schedule, expectation, false);
  bool let_others_run = false;
  const bool stuck = result && result->outcome == ReplayOutcome::diverged &&
                     (exact.facts.divergence == recording::Divergence::blocked ||
                      exact.facts.divergence == recording::Divergence::missing);
  // Steps that nobody could foresee may be in the way (a lock inside a library): others may run
  // until the thread can go on, and the race is still a race. So is an intruder's section that must
  // end before the block gets the lock again.
  const bool at_once =
      expectation != nullptr && expectation->witness_end() == finding::WitnessEnd::at_once;
  const bool lenient_too = at_once || (expectation != nullptr &&
                                       expectation->witness_end() == finding::WitnessEnd::in_order);
  if (stuck && !request.only_exactly && lenient_too) {
    ReplayRequest again = request;
    if (at_once) again.after = AfterSchedule::stop;
    FORETELL_TRY(lenient, attempt(file, true, again));
    auto second = judge(lenient, schedule, expectation, true);
    if (second && second->outcome == ReplayOutcome::reproduced) {
      result = std::move(second);
      let_others_run = true;
    }
  }
  if (result && result->outcome == ReplayOutcome::reproduced && at_once &&
      expectation->both_orders) {
    FORETELL_TRY(instead, without_first(schedule, *expectation, let_others_run, request));
    if (!instead.empty()) {
      result->outcome = ReplayOutcome::not_reproduced;
      result->explanation = fmt::format(
          "the accesses follow each other only in one order: {} seems to wait for {} in a way that "
          "is not recorded (without it, {})",
          expectation->steps[1].thread, expectation->steps[0].thread, instead);
    }
  }
  std::error_code error;
  fs::remove(file, error);
  return result;
}

Result<std::string> Replayer::without_first(const schedule::Schedule& schedule,
                                            const Expectation& expectation, bool let_others_run,
                                            const ReplayRequest& request) const {
  const uint64_t steps = schedule.steps();
  schedule::Schedule without = schedule.truncated(steps - 2);
  const schedule::ThreadNumber first = schedule.truncated(steps - 1).runs.back().thread;
  uint64_t before = 0;  // steps of the first one's thread
  for (const schedule::ScheduleRun& run : without.runs)
    before += run.thread == first ? run.steps : 0;
  without.append(schedule.runs.back().thread);

  ReplayRequest quietly = request;
  quietly.name += "-second";
  quietly.after = AfterSchedule::stop;
  quietly.streams = Streams::captured;
  const std::string file = directory_.scratch("replay-" + quietly.name + ".ft1");
  if (auto written = write_text(file, without.to_file("being replayed")); !written) {
    return std::unexpected(std::move(written).error());
  }
  FORETELL_TRY(tried, attempt(file, let_others_run, quietly));
  std::error_code error;
  fs::remove(file, error);
  fs::remove(directory_.output(quietly.name), error);
  if (!tried.recorded) return "the program left no recording";
  FORETELL_TRY(last, last_steps(*tried.reader, 0));
  FORETELL_TRY(taken, steps_of(*tried.reader, expectation.steps[0].thread));
  if (!last) return "nothing happened";
  if (last->steps[1] != expectation.steps[1]) {
    return fmt::format("the last step of {} was {} at {}", tried.facts.schedule_steps,
                       last->steps[1].thread, last->steps[1].site);
  }
  if (taken > before) return fmt::format("{} went on", expectation.steps[0].thread);
  return "";
}

Result<std::unique_ptr<trace::TraceReader>> Replayer::recording_of_schedule(
    const schedule::Schedule& schedule, const ReplayRequest& request) const {
  const std::string file = directory_.scratch("replay-" + request.name + ".ft1");
  if (auto written = write_text(file, schedule.to_file("being followed")); !written) {
    return std::unexpected(std::move(written).error());
  }
  FORETELL_TRY(done, attempt(file, false, request));
  std::error_code error;
  fs::remove(file, error);
  fs::remove(directory_.output(request.name), error);
  return std::move(done.reader);
}

Result<ReplayResult> Replayer::run_seed(uint64_t seed, bool compare,
                                        const ReplayRequest& request) const {
  launch::RuntimeOptions options = options_for(request);
  options.set("strategy", info_.strategy).set("seed", seed);
  if (info_.quantum) options.set("quantum", *info_.quantum);
  if (info_.depth) options.set("depth", *info_.depth);
  FORETELL_TRY(end, run(options, request));
  ReplayResult result{.outcome = ReplayOutcome::reproduced, .end = end};
  result.explanation = fmt::format("ran with seed {}: {}", seed, end.describe());
  const std::string recording = recording_of(request);
  if (fs::exists(recording)) {
    FORETELL_TRY(facts, trace::read_recording_facts(recording));
    result.facts = facts;
    if (compare) {
      FORETELL_TRY(recorded, trace_.open());
      FORETELL_TRY(expected, ExpectedRun::open(std::move(recorded), info_.events, {}));
      FORETELL_TRY(reader, launch::open_recording(recording));
      FORETELL_TRY(difference, first_difference(expected, *reader));
      if (difference) {
        result.outcome = ReplayOutcome::diverged;
        result.explanation =
            fmt::format("replay diverged at step {}: {}", difference->step, difference->text);
      } else {
        result.explanation =
            fmt::format("the same {} events as recorded; the program {}", info_.events,
                        facts.state == recording::State::deadlock ? "deadlocked" : end.describe());
      }
    }
  }
  launch::remove_recordings(recording);
  if (end.kind == launch::EndKind::timed_out) result.outcome = ReplayOutcome::timed_out;
  if (end.kind == launch::EndKind::signalled) result.outcome = ReplayOutcome::crashed;
  return result;
}

launch::RuntimeOptions Replayer::debugger_options(const std::string& file,
                                                  uint64_t pause_at) const {
  ReplayRequest request{.name = "gdb"};
  launch::remove_recordings(recording_of(request));
  launch::RuntimeOptions options = options_for(request);
  options.set("seed", info_.seed)
      .set("schedule", fs::absolute(file).string())
      .set("follow", "exact")
      .set("after", "continue")
      .set("pause_at", pause_at);
  return options;
}

namespace {

std::vector<Replayer::StepStack> parse_stacks(std::string_view bytes, const std::string& program) {
  auto take = [&](void* to, size_t size) {
    if (bytes.size() < size) return false;
    std::memcpy(to, bytes.data(), size);
    bytes.remove_prefix(size);
    return true;
  };
  std::vector<Replayer::StepStack> stacks;
  recording::StackHeader header;
  while (take(&header, sizeof header)) {
    Replayer::StepStack stack{.step = header.step};
    for (uint64_t i = 0; i < header.frames; ++i) {
      recording::FrameHeader frame;
      if (!take(&frame, sizeof frame) || frame.path_size > bytes.size()) return stacks;
      std::string path(bytes.substr(0, frame.path_size));
      bytes.remove_prefix(frame.path_size);
      stack.frames.push_back({path.empty() ? program : std::move(path), frame.offset});
    }
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

}  // namespace

Result<std::vector<Replayer::StepStack>> Replayer::stacks_at(const schedule::Schedule& schedule,
                                                             std::span<const uint64_t> steps,
                                                             const ReplayRequest& request) const {
  const std::string file = directory_.scratch("stacks.ft1");
  const std::string stacks = fs::absolute(directory_.scratch("stacks")).string();
  std::error_code ignored;
  fs::remove(stacks, ignored);
  if (auto written = write_text(file, schedule.to_file("being followed")); !written) {
    return std::unexpected(std::move(written).error());
  }
  launch::RuntimeOptions options = options_for(request);
  options.set("strategy", "round-robin")
      .set("seed", info_.seed)
      .set("schedule", fs::absolute(file).string())
      .set("after", "stop")
      .set("stack_steps", fmt::format("{}", fmt::join(steps, ".")))
      .set("stacks", stacks);
  if (auto ended = run(options, request); !ended) {
    return std::unexpected(std::move(ended).error());
  }
  launch::remove_recordings(recording_of(request));
  std::vector<StepStack> found;
  if (const auto bytes = InputFile::open(stacks)) {
    FORETELL_TRY(program, launch::find_program(info_.command[0], info_.directory));
    found = parse_stacks(bytes->bytes(), fs::absolute(program).string());
  }
  for (const std::string& each : {file, stacks, directory_.output(request.name)}) {
    fs::remove(each, ignored);
  }
  return found;
}

}  // namespace foretell::replay

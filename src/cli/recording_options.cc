// SPDX-License-Identifier: Apache-2.0

#include "cli/recording_options.h"

#include "base/output.h"
#include "cli/command.h"

namespace foretell::cli {

void SchedulingOptions::add_to(CLI::App& command) {
  command.add_option("--seed", seed,
                     "Seed of the scheduler's choices; the same seed repeats a run");
  command
      .add_option("--strategy", strategy,
                  "How to choose the next thread: round-robin, random, or pct\n(priorities that "
                  "change at random)")
      ->check(CLI::IsMember({"round-robin", "random", "pct"}));
  command.add_option("--quantum", quantum, "Average number of steps before another thread may run")
      ->check(CLI::PositiveNumber);
  command.add_option("--depth", depth, "pct: number of ordering constraints a bug may need")
      ->check(CLI::PositiveNumber);
  command.add_flag("--parallel", parallel,
                   "Let threads run in parallel; faster, but not repeatable");
  command.add_flag("--keep-repeats", keep_repeats,
                   "Also record reads that repeat one of the same thread since\nits last "
                   "synchronization (docs/instrumentation.md)");
}

void SchedulingOptions::put_into(launch::RecordRequest& request) const {
  if (parallel) request.mode = recording::Mode::parallel;
  request.strategy = strategy;
  request.seed = seed;
  request.quantum = quantum;
  request.depth = depth;
  request.keep_repeats = keep_repeats;
}

void RecordingOptions::add_to(CLI::App& command) {
  scheduling.add_to(command);
  command
      .add_option("--schedule", schedule,
                  "Follow this schedule first: ft1:... or a file (docs/schedules.md)")
      ->excludes(command.get_option("--parallel"));
  command.add_option("--timeout", timeout, "End the program after N seconds")
      ->check(CLI::PositiveNumber);
  command.add_flag("--keep-recording", keep_recording,
                   "Keep the raw recording beside the trace made from it");
}

std::optional<std::chrono::milliseconds> time_limit(double seconds) {
  if (seconds <= 0) return {};
  return std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
}

Result<schedule::Schedule> read_schedule(const std::string& text_or_file) {
  const size_t colon = text_or_file.find(':');
  const bool is_text = text_or_file.starts_with("ft") && colon != std::string::npos &&
                       text_or_file.find_first_not_of("0123456789", 2) == colon;
  if (is_text) return schedule::parse_schedule(text_or_file, "the schedule");
  FORETELL_TRY(file, InputFile::open(text_or_file));
  return schedule::parse_schedule(file.bytes(), text_or_file);
}

Result<launch::RecordRequest> RecordingOptions::request(const std::string& directory) const {
  launch::RecordRequest request;
  request.recording = directory + "/recording";
  request.trace = directory + "/trace.ftrace";
  scheduling.put_into(request);
  request.time_limit = time_limit(timeout);
  request.keep_recording = keep_recording;
  if (!schedule.empty()) {
    FORETELL_TRY(parsed, read_schedule(schedule));
    request.schedule = directory + "/followed.ft1";
    auto written = write_text(request.schedule, parsed.to_file("what the recorded run followed"));
    if (!written) return std::unexpected(std::move(written).error());
  }
  return request;
}

Result<void> finish_run(const launch::RunDirectory& directory, launch::RecordedRun& run) {
  run.info.version = FORETELL_VERSION;
  if (auto done = complete_run(directory, run); !done) return done;
  return directory.publish();
}

void print_recorded(const launch::RecordedRun& run, const std::string& where) {
  std::string text;
  const std::string& program = run.info.command[0];
  if (run.recorded) {
    text = fmt::format(
        "foretell: recorded {} event{} of {} thread{} in {}; {} {}\n", run.info.events,
        run.info.events == 1 ? "" : "s", run.info.threads, run.info.threads == 1 ? "" : "s", where,
        program,
        run.end.kind == launch::EndKind::signalled ? "was " + run.info.ended : run.info.ended);
  }
  for (const std::string& warning : run.warnings) text += "warning: " + warning + "\n";
  if (!run.recorded) text += fmt::format("{}: nothing was checked: {}\n", program, run.unchecked);
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

}  // namespace foretell::cli

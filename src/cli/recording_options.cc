// SPDX-License-Identifier: Apache-2.0

#include "cli/recording_options.h"

#include <charconv>

#include "base/input_file.h"
#include "base/output.h"
#include "cli/command.h"

namespace foretell::cli {

Result<uint64_t> parse_size(const std::string& text) {
  uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(parsed.ptr, text.data() + text.size());
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  const bool known = unit.empty() || shift > 0;
  if (parsed.ec != std::errc{} || !known || number == 0 || number > UINT64_MAX >> shift) {
    return usage_error("'{}' is not a size; write it like 500M or 2G", text);
  }
  return number << shift;
}

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
  CLI::Option* all =
      command.add_flag("--whole", whole,
                       "Record all memory, however long the run is. By default a run that becomes\n"
                       "long is made again, and only memory is recorded whose accesses could\n"
                       "come in another order (docs/runtime.md, \"Watching\")");
  command.add_flag("--watch", watch, "Record only such memory of short runs too")
      ->excludes(all)
      ->excludes(command.get_option("--parallel"))
      ->excludes(command.get_option("--schedule"));
  command
      .add_option("--schedule-memory", contended,
                  "With --schedule=ft2:...: the list of contended memory that is kept\n"
                  "in the run it is from, RUN/contended")
      ->needs(command.get_option("--schedule"));
  command.add_option("--disk-limit", disk_limit,
                     "Write at most this much, like 500M: recording stops at half of it\n"
                     "and the program continues unrecorded");
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

Result<std::optional<schedule::PlaceSchedule>> read_place_schedule(
    const std::string& text_or_file) {
  using schedule::parse_place_schedule;
  std::optional<schedule::PlaceSchedule> none;
  if (schedule::is_place_schedule(text_or_file)) {
    return parse_place_schedule(text_or_file, "the schedule");
  }
  const auto file = InputFile::open(text_or_file);
  if (!file || !schedule::is_place_schedule(file->bytes())) return none;
  return parse_place_schedule(file->bytes(), text_or_file);
}

Result<launch::RecordRequest> RecordingOptions::request(const std::string& directory) const {
  launch::RecordRequest request;
  request.recording = directory + "/recording";
  request.trace = directory + "/trace.ftrace";
  scheduling.put_into(request);
  request.time_limit = time_limit(timeout);
  request.keep_recording = keep_recording;
  request.watch = !whole && !scheduling.parallel && schedule.empty();
  request.whole_if_short = !watch;
  request.contended = directory + "/contended";
  request.kept_input = directory + "/input";
  if (!disk_limit.empty()) {
    FORETELL_TRY(bytes, parse_size(disk_limit));
    request.most_bytes = bytes;
  }
  if (!schedule.empty()) {
    FORETELL_TRY(places, read_place_schedule(schedule));
    if (places) {
      return usage_error(
          "a schedule by places is followed by 'foretell replay --schedule=... -- PROGRAM', which "
          "prints it as one of steps");
    }
    FORETELL_TRY(parsed, read_schedule(schedule));
    const bool counts_contended = parsed.counted == foretell::schedule::Counted::contended_accesses;
    if (counts_contended && contended.empty()) {
      return std::unexpected(
          Diagnostic{
              fmt::format("{} counts accesses of contended memory, and it is not known which "
                          "that is",
                          schedule),
              ""}
              .with_note(
                  "--schedule-memory=RUN/contended names it, for the run that the schedule is "
                  "from; 'foretell replay --schedule' follows it in that run"));
    }
    if (!counts_contended && !contended.empty()) {
      return usage_error("{} counts all accesses: leave --schedule-memory out", schedule);
    }
    if (counts_contended) {
      request.watch = true;
      request.whole_if_short = false;
      FORETELL_TRY(list, InputFile::open(contended));
      if (auto done = write_text(request.contended, list.bytes()); !done) {
        return std::unexpected(std::move(done).error());
      }
    }
    request.schedule = directory + "/followed.ft1";
    auto written = write_text(request.schedule, parsed.to_file("what the recorded run followed"));
    if (!written) return std::unexpected(std::move(written).error());
  }
  return request;
}

Result<void> finish_run(const launch::RunDirectory& directory, launch::RecordedRun& run) {
  run.info.version = FORETELL_VERSION;
  if (auto done = complete_run(directory, run); !done) return done;
  // The findings of the run before are not gone because this program was built without Foretell.
  if (!run.recorded) return {};
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
  if (run.recorded && run.info.only_contended) {
    text += fmt::format(
        "foretell: only contended memory was recorded, in {} run{} of the program{}\n", run.runs,
        run.runs == 1 ? "" : "s", run.is_remembered ? " (what is contended was remembered)" : "");
  }
  for (const std::string& warning : run.warnings) text += "warning: " + warning + "\n";
  if (!run.recorded) text += fmt::format("{}: nothing was checked: {}\n", program, run.unchecked);
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

}  // namespace foretell::cli

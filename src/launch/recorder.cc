// SPDX-License-Identifier: Apache-2.0

#include "launch/recorder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/output.h"
#include "launch/guardian.h"
#include "launch/watched_runs.h"
#include "recording/contended.h"
#include "trace/ftrace/ftrace_writer.h"
#include "trace/open.h"

namespace foretell::launch {
namespace {

namespace fs = std::filesystem;

uint64_t bytes_of(const std::string& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

// Why no more of the recording is to be read; empty if more is.
std::string_view why_to_stop(const RecordRequest& request, uint64_t recording_bytes,
                             uint64_t trace_bytes) {
  if (request.stop != nullptr && *request.stop) return "interrupted";
  if (request.read_until && RecordRequest::Clock::now() >= *request.read_until) {
    return "there was no more time";
  }
  if (request.most_bytes && recording_bytes + trace_bytes > *request.most_bytes) {
    return "the disk limit was reached";
  }
  return "";
}

// The one pass over a recording: everything that is wanted of it is taken on the way. Returns how
// many accesses there were.
Result<uint64_t> take_in(trace::TraceReader& reader, const RecordRequest& request,
                         RecordedRun& run) {
  std::unique_ptr<trace::FtraceWriter> writer;
  if (!request.trace.empty()) {
    FORETELL_TRY(created, trace::FtraceWriter::create(request.trace));
    writer = std::move(created);
  }
  auto kept = request.keep_events ? std::make_shared<trace::KeptTrace>(request.trace) : nullptr;
  // What was only watched is in hard order as long as reads keep their writers (runtime/watch/writers.h).
  reader.tables().facts.needs_writers = run.info.only_contended;
  std::vector<trace::Event> batch(trace::kBatchSize);
  uint64_t accesses = 0;
  const uint64_t recording_bytes = bytes_of(request.recording);
  for (;;) {
    FORETELL_TRY(got, reader.read(batch));
    if (got == 0) break;
    const std::string_view why =
        why_to_stop(request, recording_bytes, writer ? writer->byte_count() : 0);
    if (!why.empty()) {
      run.warnings.push_back(fmt::format("{}: only the first {} events of the recording were read",
                                         why, run.steps.steps()));
      run.is_cut_short = true;
      break;
    }
    request.progress("read the recording", reader.progress());
    const std::span<const trace::Event> events = std::span(batch).first(got);
    if (writer) {
      if (auto done = writer->write(events, reader.tables()); !done) {
        return std::unexpected(std::move(done).error());
      }
    }
    run.steps.add(events);
    if (kept != nullptr) kept->add(events);
    for (const trace::Event& e : events) accesses += is_access(e.kind);
  }
  if (writer) {
    // What is known only after the last event.
    auto done = writer->write({}, reader.tables());
    if (done) done = writer->close();
    if (!done) return std::unexpected(std::move(done).error());
  }
  run.steps.take_numbers_from(reader.tables());
  run.info.events = run.steps.steps();
  run.info.threads = reader.tables().threads.size();
  if (kept != nullptr) kept->finish(std::move(reader.tables()));
  run.trace = RunTrace(request.trace, std::move(kept));
  return accesses;
}

std::vector<std::string> beside(const std::string& recording) {
  std::vector<std::string> paths;
  const fs::path path(recording);
  const std::string prefix = path.filename().string() + '.';
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool digits = name.size() > prefix.size() &&
                        name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (name.starts_with(prefix) && digits) paths.push_back(entry.path().string());
  }
  return paths;
}

void add_warnings(const RecordRequest& request, uint64_t accesses, RecordedRun& run) {
  const trace::RecordingFacts& facts = run.facts;
  auto warn = [&](std::string text) { run.warnings.push_back(std::move(text)); };
  if (!facts.error.empty()) {
    const bool is_default = run.info.only_contended && !request.most_bytes;
    warn("recording stopped early: " + facts.error +
         (is_default ? "; --disk-limit=SIZE allows more than 40M" : ""));
  }
  const bool is_limit = facts.error.find("larger than allowed") != std::string::npos;
  if (facts.dropped_bytes > 0 && !is_limit) {
    warn(fmt::format("{} bytes of records were lost because the disk was full",
                     facts.dropped_bytes));
  }
  if (request.mode == recording::Mode::controlled && facts.watchdog_count > 0) {
    warn(
        fmt::format("not fully controlled: {} time{} a thread was lost in code that is not "
                    "instrumented; the same seed may give another run",
                    facts.watchdog_count, facts.watchdog_count == 1 ? "" : "s"));
  } else if (request.mode == recording::Mode::controlled && facts.uncontrolled > 0) {
    warn(
        fmt::format("not fully controlled: {} blocking system call{} came back at a moment the "
                    "world chose; the same seed may give another run",
                    facts.uncontrolled, facts.uncontrolled == 1 ? "" : "s"));
  }
  if (facts.cut_at_end > 0) {
    warn(fmt::format(
        "{} thread{} had more to do when the process ended: {} ran on for a bounded "
        "number of steps (FORETELL_OPTIONS=exit_steps=N allows more)",
        facts.cut_at_end, facts.cut_at_end == 1 ? "" : "s", facts.cut_at_end == 1 ? "it" : "they"));
  }
  if (run.links_libgomp) {
    warn(
        "it uses libgomp, whose synchronization is not seen: what it orders may be called a race; "
        "link it with LLVM's libomp instead (clang -fopenmp)");
  }
  if (accesses == 0) {
    run.unchecked = "no memory access was recorded";
    warn("no memory access was recorded: was the program built with 'foretell cc'?");
  }
  if (facts.divergence != recording::Divergence::none) {
    warn(fmt::format("the schedule was left at step {}: T{} {}", facts.divergence_step + 1,
                     facts.divergence_thread, trace::word_of(facts.divergence)));
  }
}

}  // namespace

std::string standard_input_file() {
  struct stat status{};
  if (::fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return "";
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/fd/0", error);
  return error || !fs::exists(path, error) ? "" : path.string();
}

Result<std::unique_ptr<trace::TraceReader>> open_recording(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  return trace::open_trace(std::move(file), std::nullopt);
}

size_t remove_recordings(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
  fs::remove(path + recording::kContendedSuffix, error);
  const std::vector<std::string> others = beside(path);
  for (const std::string& other : others) {
    fs::remove(other, error);
    fs::remove(other + recording::kContendedSuffix, error);
  }
  return others.size();
}

Result<void> read_back(const RecordRequest& request, RecordedRun& run) {
  FORETELL_TRY(facts, trace::read_recording_facts(request.recording));
  FORETELL_TRY(reader, open_recording(request.recording));
  FORETELL_TRY(accesses, take_in(*reader, request, run));
  run.recorded = true;
  run.facts = facts;
  run.info.start_time_ns = facts.start_time_ns;
  // Of a deadlock that is not in the trace nothing can be shown.
  if (run.is_cut_short) run.facts.state = recording::State::running;
  if (run.deadlocked()) run.info.ended = "deadlocked";
  add_warnings(request, accesses, run);
  return {};
}

Result<void> complete_run(const RunDirectory& directory, const RecordedRun& run) {
  if (run.recorded) {
    auto written = write_text(directory.schedule("recorded"),
                              run.steps.whole().to_file("the recorded run itself"));
    if (!written) return written;
  }
  return directory.write_info(run.info);
}

RuntimeOptions runtime_options_of(const RecordRequest& request) {
  RuntimeOptions options = RuntimeOptions::from_environment();
  options.set("record", fs::absolute(request.recording).string())
      .set("mode", trace::word_of(request.mode))
      .set("strategy", request.strategy)
      .set("seed", request.seed);
  if (request.quantum) options.set("quantum", *request.quantum);
  if (request.depth) options.set("depth", *request.depth);
  if (request.keep_repeats) options.set("repeats", "keep");
  if (request.watch) options.set("watch", 1);
  // The trace that is made of the recording is smaller.
  if (request.most_bytes) options.set("size_limit", *request.most_bytes / 2);
  if (!request.schedule.empty()) {
    options.set("schedule", fs::absolute(request.schedule).string()).set("follow", "exact");
  }
  return options;
}

void note_request(const RecordRequest& request, RunInfo& info) {
  info.mode = request.mode;
  info.strategy = request.strategy;
  info.seed = request.seed;
  info.quantum = request.quantum;
  info.depth = request.depth;
  info.keep_repeats = request.keep_repeats;
}

namespace {

// "record: 120 MB" and, if the time is known to end, how much of it is over.
void say_recording(const RecordRequest& request, double seconds) {
  const double megabytes = static_cast<double>(bytes_of(request.recording)) / 1e6;
  double fraction = -1;
  if (request.time_limit)
    fraction = 1000 * seconds / static_cast<double>(request.time_limit->count());
  request.progress(fmt::format("record: {:.0f} MB", megabytes), fraction);
}

// Who has interrupted the program does not want to wait for all it did.
RecordRequest reading_after(const RecordRequest& request, const LaunchEnd& end) {
  constexpr auto kPatience = std::chrono::seconds(5);
  RecordRequest reading = request;
  if (end.interrupted) {
    const auto soon = RecordRequest::Clock::now() + kPatience;
    reading.read_until = std::min(reading.read_until.value_or(soon), soon);
  }
  return reading;
}

}  // namespace

LaunchRequest launch_request_of(const RecordRequest& request, const RuntimeOptions& options) {
  return {.command = request.command,
          .environment = options.environment(),
          .time_limit = request.time_limit,
          .deadline = request.run_until,
          .dies_with_us = true,
          .recording = request.recording,
          .while_running = [&request](double seconds) { say_recording(request, seconds); }};
}

Result<RecordedRun> record_run(const RecordRequest& request) {
  RecordedRun run;
  RunInfo& info = run.info;
  info.command = request.command;
  info.directory = fs::current_path().string();
  FORETELL_TRY(program, find_program(request.command.at(0), ""));
  info.program = fs::absolute(program).lexically_normal().string();
  FORETELL_TRY(build, build_id_of(info.program));
  FORETELL_TRY(facts, inspect_program(info.program));
  run.links_libgomp = facts.links_libgomp;
  // Objects of the second front end have no bodies that watch.
  const bool watched = request.watch && facts.elf && !facts.built_for_tsan;
  if (facts.elf && facts.is_static) {
    run.warnings.emplace_back(
        "the program is static, so the runtime cannot see what it does: link it without -static");
  }
  run.uninstrumented = facts.uninstrumented;
  info.build = build;
  info.standard_input = standard_input_file();
  note_request(request, info);
  // Until the recording has become a trace, or is kept on purpose.
  std::optional<Guardian> guardian;
  guardian.emplace(GuardedThings{.recording = request.recording, .folder = request.folder});
  FORETELL_TRY(end, watched ? run_watched(request, run) : run_whole(request));
  run.end = end;
  if (info.only_contended) run.steps.set_counted(schedule::Counted::contended_accesses);
  info.seconds = end.seconds;
  info.status = end.exit_status();
  info.ended = end.describe();
  // The program is gone; what it recorded is complete as far as it got.

  if (::access(request.recording.c_str(), F_OK) != 0) {
    run.unchecked = "nothing was recorded";
    run.warnings.emplace_back(
        "nothing was recorded: build the program with 'foretell cc' or 'foretell c++'");
    return run;
  }
  const RecordRequest reading = reading_after(request, end);
  if (auto done = read_back(reading, run); !done) return std::unexpected(std::move(done).error());
  const size_t others = request.keep_recording ? beside(request.recording).size()
                                               : remove_recordings(request.recording);
  if (others > 0) {
    run.warnings.push_back(fmt::format("{} more process{} recorded; only the first is in the trace",
                                       others, others == 1 ? " was" : "es were"));
  }
  return run;
}

}  // namespace foretell::launch

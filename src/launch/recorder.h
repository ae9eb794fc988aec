// Records one run of a program: starts it under the runtime, waits, turns what it left into a
// trace.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/run_directory.h"
#include "launch/runtime_options.h"
#include "trace/reader.h"
#include "trace/recording/facts.h"

namespace foretell {

struct RecordRequest {
  std::vector<std::string> command;
  std::string recording;  // file for the raw recording; must not exist
  std::string trace;      // file for the trace
  std::string schedule;   // file with a schedule to follow first; empty: none
  bool parallel = false;
  std::string strategy = "round-robin";
  uint64_t seed = 1;
  std::optional<uint64_t> quantum, depth;
  bool keep_repeats = false;
  std::optional<std::chrono::milliseconds> time_limit;
  bool keep_recording = false;
};

struct RecordedRun {
  RunInfo info;
  LaunchEnd end;
  bool recorded = false;  // false: the program left no recording, and nothing below is known
  RecordingFacts facts;
  bool links_libgomp = false;
  std::vector<std::string> warnings;  // one sentence each
  bool deadlocked() const { return recorded && facts.state == recording::State::deadlock; }
};

// Fails if the program cannot be started or the trace cannot be written; whatever the program does
// is a RecordedRun.
Result<RecordedRun> record_run(const RecordRequest& request);

// What the runtime is told, and what run.json keeps of it.
RuntimeOptions runtime_options_of(const RecordRequest& request);
void note_request(const RecordRequest& request, RunInfo& info);

// Turns the recording at `request.recording` into the trace at `request.trace`, and fills in all
// that the recording knows of the run. The recording stays.
Result<void> read_back(const RecordRequest& request, RecordedRun& run);

// What one run under the runtime left: its recording read once, and gone afterward unless kept.
Result<std::unique_ptr<TraceReader>> open_recording(const std::string& path);
// The recording and those of processes the program started beside it; returns how many the latter
// were.
size_t remove_recordings(const std::string& path);

}  // namespace foretell

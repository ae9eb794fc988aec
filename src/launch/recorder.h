// SPDX-License-Identifier: Apache-2.0

// launch/: from a program on disk to its recorded run.
//
//   program          what the program's file says: which build it is, whether it can be recorded
//   launch           starts a program and waits for it; the one place that forks
//   runtime_options  how a program under Foretell is told what to do
//   recorder         (here) starts a program under the runtime and reads back what it left, once
//   watched_runs     runs a program until all memory that is contended was recorded
//   many_runs        the same program again and again, in memory
//   run_directory    the folder that a recorded run is kept in
//   run_trace        its events, from memory or from the file
//   failure_message  the line in which a program that was ended says why
//
// Findings are unknown here, and so is what a schedule is to show: a run is started, watched and
// kept. Whatever the program does is a value; only what keeps us from starting it or from writing
// its trace is an error.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "launch/run_directory.h"
#include "launch/run_trace.h"
#include "launch/runtime_options.h"
#include "schedule/thread_column.h"
#include "trace/reader.h"
#include "trace/recording/facts.h"

namespace foretell::launch {

struct RecordRequest {
  std::vector<std::string> command;
  std::string recording;  // file for the raw recording; must not exist
  std::string trace;      // file for the trace; empty: none, with keep_events
  std::string schedule;   // file with a schedule to follow first; empty: none
  recording::Mode mode = recording::Mode::controlled;
  std::string strategy = "round-robin";
  uint64_t seed = 1;
  std::optional<uint64_t> quantum, depth;
  bool keep_repeats = false;
  bool watch = false;           // record contended memory only
  bool whole_if_short = false;  // with watch: all memory of a run that is over soon
  std::string contended;        // file for the names of that memory
  std::string remembered;       // folder of names that earlier runs found, by build; empty: none
  std::string kept_input;       // file for a copy of standard input that cannot be read again
  using Clock = std::chrono::steady_clock;
  std::optional<std::chrono::milliseconds> time_limit;
  std::optional<Clock::time_point> run_until;   // when the program is ended, too
  std::optional<Clock::time_point> read_until;  // from when on no more of the recording is read
  const std::atomic<bool>* stop = nullptr;      // the same if it becomes true
  std::optional<uint64_t> most_bytes;           // of recording and trace together
  std::string folder;                           // goes if we are killed
  // Below 0: how much is done of the phase is not known.
  std::function<void(std::string_view phase, double fraction)> progress = [](auto, auto) {};
  bool keep_recording = false;
  bool keep_events = false;  // in memory, for who reads the trace next
};

struct RecordedRun {
  RunInfo info;
  LaunchEnd end;
  bool recorded = false;  // false: the program left no recording, and nothing below is known
  trace::RecordingFacts facts;
  RunTrace trace;
  schedule::ThreadColumn steps;  // who took which step: schedules are cut from it
  size_t runs = 1;               // of the program until all that is contended was recorded
  bool is_remembered = false;    // of what is contended something was known before the first
  std::vector<std::string> uninstrumented = {};  // source files: what they access is not seen
  bool links_libgomp = false;
  std::string unchecked;              // why finding nothing means nothing; empty if it does
  std::vector<std::string> warnings;  // one sentence each
  bool is_cut_short = false;          // the trace has not all that was recorded
  bool deadlocked() const { return recorded && facts.state == recording::State::deadlock; }
};

// Fails if the program cannot be started or the trace cannot be written; whatever the program does
// is a RecordedRun.
Result<RecordedRun> record_run(const RecordRequest& request);

// How the program is started with these options while it is recorded.
LaunchRequest launch_request_of(const RecordRequest& request, const RuntimeOptions& options);

// What the runtime is told, and what run.json keeps of it.
RuntimeOptions runtime_options_of(const RecordRequest& request);
void note_request(const RecordRequest& request, RunInfo& info);

// Decodes the recording at `request.recording`, once: writes the trace at `request.trace`, and
// fills in all that the recording knows of the run. The recording stays.
Result<void> read_back(const RecordRequest& request, RecordedRun& run);

// Writes what makes the directory a run that other commands can open: run.json, the recorded
// schedule.
Result<void> complete_run(const RunDirectory& directory, const RecordedRun& run);

// The regular file that is our standard input, if it is one: replays can read it again.
std::string standard_input_file();

// What one run under the runtime left: its recording read once, and gone afterward unless kept.
Result<std::unique_ptr<trace::TraceReader>> open_recording(const std::string& path);
// The recording and those of processes the program started beside it; returns how many the latter
// were.
size_t remove_recordings(const std::string& path);

}  // namespace foretell::launch

// SPDX-License-Identifier: Apache-2.0

// How a program is run while it is recorded: the options that run and record share.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>

#include "launch/recorder.h"
#include "replay/confirm.h"
#include "schedule/place_schedule.h"

namespace foretell::cli {

// Who runs next; `foretell test` has these for each of its processes.
struct SchedulingOptions {
  std::string strategy = "round-robin";
  uint64_t seed = 1;
  std::optional<uint64_t> quantum, depth;
  bool parallel = false;
  bool keep_repeats = false;

  void add_to(CLI::App& command);
  void put_into(launch::RecordRequest& request) const;
};

struct RecordingOptions {
  SchedulingOptions scheduling;
  std::string schedule;
  double timeout = 0;      // seconds; 0: none
  std::string disk_limit;  // empty: none
  bool keep_recording = false;
  bool whole = false;
  bool watch = false;     // what happens anyway; --whole contradicts it
  std::string contended;  // the list that the schedule belongs to

  void add_to(CLI::App& command);
  // Into `directory`; the schedule is written there as a file.
  Result<launch::RecordRequest> request(const std::string& directory) const;
};

// Seconds on the command line; nothing for 0.
std::optional<std::chrono::milliseconds> time_limit(double seconds);

// "500M", "2G", "1000000".
Result<uint64_t> parse_size(const std::string& text);

// A schedule from the command line: the string itself, or a file with it.
Result<schedule::Schedule> read_schedule(const std::string& text_or_file);
// The same by places; nothing if it is not meant to be one.
Result<std::optional<schedule::PlaceSchedule>> read_place_schedule(const std::string& text_or_file);

// Completes and publishes the directory of a recorded run: run.json, the recorded schedule.
Result<void> finish_run(const launch::RunDirectory& directory, launch::RecordedRun& run);

// "recorded 12 events of 3 threads in DIR; ./prog exited with 0", then the warnings.
void print_recorded(const launch::RecordedRun& run, const std::string& where);

}  // namespace foretell::cli

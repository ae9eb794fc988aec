// SPDX-License-Identifier: Apache-2.0

// ManyRuns: one program again and again, also side by side.
//
// A run that is looked at once and forgotten should cost little more than the program itself. So
// what all runs have in common is made once: the program is found, its environment is built, and
// one guardian watches over all runs and their folder. A run starts with vfork, records into
// memory (/dev/shm, if there is one), and is decoded into memory; no file of it is left.
//
// Every run has the same virtual start time and the same input: our standard input if that is a
// regular file, else nothing. Repeated reads are recorded: a run that continues differently may
// depend on them.
//
//   number_        taken by whoever starts a run
//   everything else does not change after create()
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/guardian.h"
#include "launch/recorder.h"

namespace foretell::launch {

struct ManyRunsRequest {
  std::vector<std::string> command;
  std::string folder;  // for scratch files if there is no memory file system
  std::optional<std::chrono::milliseconds> time_limit;  // of one run
  std::optional<uint64_t> most_bytes;                   // of one recording
  // A file; none: our own standard input if that is a regular file, else nothing.
  std::optional<std::string> standard_input = {};
  // Of a run that is repeated: its program, folder and environment instead of ours.
  const RunInfo* like = nullptr;
};

// What one run differs in.
struct RunChoice {
  std::string schedule;  // as in a file, to be followed first; empty: none
  std::string strategy = "round-robin";
  uint64_t seed = 1;
  std::optional<uint64_t> quantum, depth, length;
  bool shows_output = false;                // on our own streams
  const std::atomic<bool>* stop = nullptr;  // ended when it becomes true
};

struct OneRun : RecordedRun {
  std::string last_words;  // the last line it printed, if that was kept
};

class ManyRuns {
 public:
  static Result<std::unique_ptr<ManyRuns>> create(const ManyRunsRequest& request);
  ~ManyRuns();
  ManyRuns(const ManyRuns&) = delete;
  ManyRuns& operator=(const ManyRuns&) = delete;

  // Several threads may call it at once. The trace is in memory only.
  Result<OneRun> run(const RunChoice& choice);

  // What all runs have in common.
  const RunInfo& info() const { return info_; }
  const ProgramFacts& facts() const { return facts_; }
  bool built_for_tsan() const { return facts_.built_for_tsan; }
  bool is_static() const { return facts_.elf && facts_.is_static; }

 private:
  struct Files;
  ManyRuns() = default;
  std::vector<std::string> environment_of(const RuntimeOptions& options) const;
  Result<LaunchEnd> start_and_wait(const RunChoice& choice, const Files& files,
                                   const RuntimeOptions& options) const;

  ManyRunsRequest request_;
  ProgramFacts facts_;
  RunInfo info_;
  std::string folder_;
  std::string mark_;  // in the environment of all that we start
  std::vector<std::string> environment_;
  std::optional<Guardian> guardian_;
  std::atomic<uint64_t> number_ = 0;
};

// Writes the events that a run has in memory to a file that other commands can read.
Result<void> write_trace(const RunTrace& trace, const std::string& path);

}  // namespace foretell::launch

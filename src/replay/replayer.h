// SPDX-License-Identifier: Apache-2.0

// Forces a schedule on the real program and reports the outcome.
//
// A finding is reproduced only if the recording of the replay shows what the finding claims:
//   race            the last two steps of the schedule are accesses of the finding's threads, at
//                   its sites, to overlapping memory, not both reads; and in a second replay the
//                   later one comes without the other. So both were about to run at the same
//                   moment. (One order is not enough. A program may hand over in ways that are not
//                   recorded, and then the second access follows the first at once, but only the
//                   first.)
//   deadlock        the runtime found every thread blocked, and those of the finding where it says.
//                   If they only wait for locks, they are a cycle, and no other thread is in it.
//   nondeterminism  the last step is the finding's read, and the last write before it to what it
//                   reads is the finding's; and it returns another value than when recorded, if
//                   both are known.
// Otherwise the replay is compared with the steps the witness expects, to say where it went
// another way and why.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "finding/result.h"
#include "launch/launch.h"
#include "launch/run_directory.h"
#include "launch/run_trace.h"
#include "launch/runtime_options.h"
#include "program/code_place.h"
#include "replay/expectation.h"
#include "schedule/schedule.h"
#include "trace/recording/facts.h"

namespace foretell::replay {

enum class ReplayOutcome : uint8_t { reproduced, not_reproduced, diverged, crashed, timed_out };

std::string_view word_of(ReplayOutcome outcome);

struct ReplayResult {
  ReplayOutcome outcome = ReplayOutcome::not_reproduced;
  std::string explanation;  // one sentence
  bool refuted = false;     // the program did what the finding says, and nothing came of it
  launch::LaunchEnd end;
  trace::RecordingFacts facts;
};

enum class AfterSchedule { stop, go_on };
enum class Streams { captured, passed_through };

struct ReplayRequest {
  std::string name;  // of its files in the run directory: "race-1"
  AfterSchedule after = AfterSchedule::stop;
  Streams streams = Streams::captured;
  std::optional<std::chrono::milliseconds> time_limit;  // default: from the recorded run's time
  std::optional<std::chrono::steady_clock::time_point> deadline;  // another limit
  const std::atomic<bool>* stop = nullptr;                        // ended when it becomes true
  // After this step of the schedule (from 1; 0: none) its thread stops before the `hold_reads`-th
  // read that is left out as a repeat, as if that were a step.
  uint64_t hold_after = 0, hold_reads = 1;
  bool only_exactly = false;  // no second try in which others run while a thread cannot go on
};

class Replayer {
 public:
  // `info` says what to run; the caller may have changed its command.
  // `trace` is the recorded run, which diverging replays are compared with.
  Replayer(launch::RunDirectory directory, launch::RunInfo info, launch::RunTrace trace)
      : directory_(std::move(directory)), info_(std::move(info)), trace_(std::move(trace)) {}
  Replayer(const launch::RunDirectory& directory, launch::RunInfo info)
      : Replayer(directory, std::move(info), launch::RunTrace(directory)) {}

  // Follows `schedule`. Without an expectation `reproduced` means that it was followed to its end.
  Result<ReplayResult> replay(const schedule::Schedule& schedule, const Expectation* expectation,
                              const ReplayRequest& request) const;

  // Runs freely from a seed; `reproduced` if the events are those of the recorded run, which is
  // only asked when `compare` says so.
  Result<ReplayResult> run_seed(uint64_t seed, bool compare, const ReplayRequest& request) const;

  // What the program does along `schedule`: all raw events, to be read once. Null if it left no
  // recording.
  Result<std::unique_ptr<trace::TraceReader>> recording_of_schedule(
      const schedule::Schedule& schedule, const ReplayRequest& request) const;

  // Those that follow the schedule in `file` and stop for a debugger before step
  // `pause_at`.
  launch::RuntimeOptions debugger_options(const std::string& file, uint64_t pause_at) const;

  // How the threads came to these steps of the schedule (from 1, rising): for each, addresses of
  // code, innermost first. Fewer if the schedule cannot be followed to the last.
  struct StepStack {
    uint64_t step = 0;
    std::vector<program::CodeAddress> frames = {};
  };
  Result<std::vector<StepStack>> stacks_at(const schedule::Schedule& schedule,
                                           std::span<const uint64_t> steps,
                                           const ReplayRequest& request) const;

  const launch::RunInfo& info() const { return info_; }
  const launch::RunDirectory& directory() const { return directory_; }

 private:
  struct Attempt;
  Result<Attempt> attempt(const std::string& schedule_file, bool let_others_run,
                          const ReplayRequest& request) const;
  Result<ReplayResult> judge(const Attempt& attempt, const schedule::Schedule& schedule,
                             const Expectation* expectation, bool let_others_run) const;
  // What comes instead of the second access of a race from the same point without the first; empty
  // if it comes.
  Result<std::string> without_first(const schedule::Schedule& schedule,
                                    const Expectation& expectation, bool let_others_run,
                                    const ReplayRequest& request) const;
  Result<launch::LaunchEnd> run(const launch::RuntimeOptions& options,
                                const ReplayRequest& request) const;
  std::string recording_of(const ReplayRequest& request) const;
  // The runtime options of every replay.
  launch::RuntimeOptions options_for(const ReplayRequest& request) const;

  launch::RunDirectory directory_;
  launch::RunInfo info_;
  launch::RunTrace trace_;
};

}  // namespace foretell::replay

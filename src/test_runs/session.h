// SPDX-License-Identifier: Apache-2.0

// The processes of a test run, analyzed while the command still runs.
//
// Every process below the command records into one folder (FORETELL_OPTIONS record=FOLDER/, which
// children inherit). Workers watch the folder. When a process has ended, a worker turns its
// recording into the trace of a separate run and analyzes it. Nothing is replayed here, because a
// replay at the same time as the tests could use their files and ports.
//
//   next_, taken_, runs_, ...     of all workers and the owner, behind mutex_
//   a ProcessRun                  of the worker that made it, until it is in runs_
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/confirm.h"
#include "test_runs/process.h"
#include "test_runs/test_cases.h"

namespace foretell::test_runs {

struct ProcessRun {
  std::string name;  // of its folder: the process id
  ProcessDescription process;
  std::optional<launch::RunDirectory> directory;
  launch::RecordedRun run;
  finding::AnalysisResult result;
  TestCases cases;
  std::string test;  // filled in by who knows
  // Why there is no result; the process is then known only as far as it was described.
  std::string failure;
  bool outlived = false;  // still running when the command had ended
  bool explored = false;  // it is no process of the test run, but a further run of one

  // Below the folder of the test run.
  std::string folder() const { return "processes/" + name; }
  // The test's name, or else the command line.
  std::string title() const;
  // How it ended if that was no ordinary end; empty otherwise.
  std::string trouble() const;
  bool came_to_its_end() const { return failure.empty() && !outlived && trouble().empty(); }
};

struct SessionOptions {
  std::string recordings;     // folder the processes record into
  std::string processes;      // folder for a run of each
  std::string version;        // of Foretell
  launch::RecordRequest how;  // mode, strategy, seed: what all have in common
  pipeline::DriverOptions driver;
  unsigned jobs = 1;
};

class TestSession {
 public:
  // Starts the workers.
  static std::shared_ptr<TestSession> start(SessionOptions options);

  // Nothing will be recorded any more: what is there is all.
  void command_ended();
  // No worker begins with another process, and analyses end with what they have.
  void stop();
  // Waits until all is done, or for `most`; returns whether it is.
  bool wait(std::chrono::milliseconds most);

  struct Count {
    size_t done = 0, known = 0;
    std::string doing;  // what a worker does just now: "judge 40 %"
  };
  Count count();
  // What was done so far, in the order in which the processes started. Call it once.
  std::vector<ProcessRun> take_runs();

 private:
  struct Job {
    std::string name;
    bool outlived = false;
  };

  explicit TestSession(SessionOptions options);
  void work();
  std::optional<Job> next_job();
  void look_for_jobs();
  ProcessRun examine(const Job& job);
  Result<void> examine(const std::string& recording, ProcessRun& run);
  void note_progress(std::string_view phase, double fraction);

  SessionOptions options_;  // nobody changes it once the workers have begun
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Job> next_;
  std::set<std::string> taken_;
  std::vector<ProcessRun> runs_;
  size_t busy_ = 0;  // workers that live
  std::string doing_;
  bool ended_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace foretell::test_runs

// SPDX-License-Identifier: Apache-2.0

// .foretell/<run>/: what a recorded run left, and how the other commands find it.
//
//   trace.ftrace          the run
//   run.json              RunInfo
//   contended             which memory was recorded, unless all was (recording/contended.h)
//   input                 what its standard input was, if that could be read only once
//   findings.json         the JSON report, once it was analyzed
//   schedules/race-1.ft1  the schedule that shows a finding; recorded.ft1 is the run itself
//   outputs/race-1.txt    what the program printed under that schedule
//
// A run of `foretell test` has findings.json and test.json instead, and processes/<pid>/, each of
// which is a run as above. Findings have the same names in all of them. What `foretell run` found in
// further runs of the program stands in test.json and processes/<number>/ beside the run itself.
//
// .foretell/names keeps the names of findings (report/remembered_names.h), .foretell/contended/<build>
// those of contended memory (launch/contended_names.h).
// <run> is the date, the time and a counter, so names sort by age. .foretell/latest is a symbolic
// link to the newest finished one and is replaced atomically, so it never dangles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "launch/program.h"
#include "trace/recording/facts.h"

namespace foretell::launch {

// What must be known to run the program again the same way.
struct RunInfo {
  std::string version;               // of Foretell
  std::vector<std::string> command;  // as typed
  std::string directory;             // where it ran
  std::string program;               // the file that was run
  BuildId build;
  std::string standard_input;  // the regular file it was, if it was one
  // Where its environment was another one than ours; set by whoever started it.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> unset_variables;
  recording::Mode mode = recording::Mode::controlled;
  std::string strategy;
  uint64_t seed = 0;
  std::optional<uint64_t> quantum, depth;
  bool keep_repeats = false;    // its schedules count them
  bool only_contended = false;  // memory was recorded, which RunDirectory::contended names
  uint64_t start_time_ns = 0;   // of virtual time
  uint64_t events = 0;
  uint64_t threads = 0;
  double seconds = 0;
  int status = 0;     // exit status, as a shell says it
  std::string ended;  // "exited with 0", "killed by SIGSEGV (Segmentation fault)", "deadlock"
};

class RunDirectory {
 public:
  enum class Kind : uint8_t { run, test };

  // A fresh one under `root`, or `path` itself if it is not empty.
  static Result<RunDirectory> create(const std::string& root = ".foretell",
                                     const std::string& path = "", Kind kind = Kind::run);
  // One at `path` that need not be there yet: create() makes it.
  static RunDirectory planned(const std::string& path) { return RunDirectory(path, ""); }
  // An existing one; empty: .foretell/latest.
  static Result<RunDirectory> open(const std::string& path = "");
  // The one that has the finding: what `foretell test` leaves is a folder with many (test.json).
  static Result<RunDirectory> open_for(const std::string& path, const std::string& finding);

  // The folder `path` itself (empty: .foretell/latest), if it is one of `foretell test`.
  static std::optional<std::string> test_run(const std::string& path);

  const std::string& path() const { return path_; }
  std::string trace() const { return path_ + "/trace.ftrace"; }
  std::string contended() const { return path_ + "/contended"; }
  std::string findings() const { return path_ + "/findings.json"; }
  std::string schedule(const std::string& name) const {
    return path_ + "/schedules/" + name + ".ft1";
  }
  std::string output(const std::string& name) const { return path_ + "/outputs/" + name + ".txt"; }
  // Names of findings, for all runs beside this one; empty if it stands alone.
  std::string names() const { return root_.empty() ? "" : root_ + "/names"; }
  // What is known of contended memory from all runs beside this one; empty if it stands alone.
  std::string remembered() const { return root_.empty() ? "" : root_ + "/contended"; }
  // Of a run of `foretell test`.
  static constexpr const char* kRunFile = "/run.json";
  static constexpr const char* kTestFile = "/test.json";
  static constexpr const char* kProcesses = "/processes";
  static constexpr const char* kRecordings = "/recordings";  // gone when all are analyzed
  std::string scratch(const std::string& name) const { return path_ + '/' + name; }

  Result<RunInfo> info() const;
  Result<void> write_info(const RunInfo& info) const;
  // `latest` is this one from here on.
  Result<void> publish() const;
  // `latest` of the folder `root` is the run of that name.
  static Result<void> make_latest(const std::string& root, const std::string& name);

 private:
  RunDirectory(std::string path, std::string root)
      : path_(std::move(path)), root_(std::move(root)) {}

  std::string path_;
  std::string root_;  // empty: `latest` is not ours to set
};

// Error 65 unless the program is the build the run was recorded from.
Result<void> check_same_build(const RunInfo& info, const std::string& program,
                              const std::string& run);

}  // namespace foretell::launch

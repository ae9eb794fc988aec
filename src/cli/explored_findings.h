// SPDX-License-Identifier: Apache-2.0

// What was found in many runs of one program, each error once.
//
// The first run that shows an error keeps it: its trace and schedule are written, and the error is
// tried on the program at once. A later run takes it over if it can show it with a shorter schedule,
// or if the first could not show it on the program at all.
//
// .foretell/<date>/ then has findings.json and test.json, which says which run has which finding, and
// processes/<number of the run>/ with the runs that are needed: the layout of `foretell test`.
#pragma once

#include <list>
#include <map>
#include <string>

#include "cli/replay_options.h"
#include "cli/report_options.h"
#include "cli/triage_options.h"
#include "explore/explorer.h"
#include "replay/confirm.h"

namespace foretell::cli {

class ExploredFindings {
 public:
  ExploredFindings(launch::RunDirectory directory, const ReplayOptions& replays)
      : directory_(std::move(directory)), replays_(replays) {}

  // What is found already: of these errors only what shows them better is taken.
  void know(const std::vector<finding::Finding>& findings);
  // The next run, in order; the first one is what all others are compared with.
  Result<void> take(explore::NewRun&& run, const replay::TryOptions& options);
  size_t count() const { return known_.size(); }

  // Adds all of it; what is found there already and shown better here is replaced.
  void add_to(std::vector<finding::Finding>& findings);
  // All of it as one result; the runs keep what is theirs.
  finding::AnalysisResult merged();
  // Names and states of `result` go to the runs, and these to the disk.
  Result<void> write(const finding::AnalysisResult& result,
                     const std::vector<std::string>& command);
  // Of the runs that have findings.
  std::vector<ReportedTrace> traces() const;

  // A run that shows something, with what it shows best; its trace is on disk.
  struct Shown {
    std::string folder;  // below that of the run that was explored
    launch::RunDirectory directory;
    launch::OneRun run;
    finding::AnalysisResult result;
  };
  // All of them, instead of write(). Call it last.
  std::vector<Shown> take_runs();

 private:
  struct Owner {
    size_t number = 0;  // of the run
    std::string name;   // of its folder: the same
    launch::RunDirectory directory;
    launch::OneRun run;
    finding::AnalysisResult result;
    bool is_written = false;  // its trace

    std::string folder() const { return "processes/" + name; }
  };
  struct Error {
    Owner* owner = nullptr;
    size_t first = 0;  // number of the first run that has it
    size_t tries = 0;  // runs that tried to show it
    uint64_t occurrences = 0;
  };

  Result<std::optional<finding::Finding>> failure_of(const explore::NewRun& run) const;
  bool is_explained(const finding::Finding& failure, const explore::NewRun& run) const;
  bool is_shown_elsewhere(const finding::Finding& finding, const std::string& key) const;
  std::vector<finding::Finding> all() const;
  void forget(const Owner& owner) const;
  Result<void> consider(Owner& owner, finding::Finding finding, const std::string& key,
                        const replay::TryOptions& options);
  Result<void> confirm(Owner& owner, finding::Finding& finding, const replay::TryOptions& options);
  Result<void> write_run(Owner& owner) const;
  finding::Finding* find(Owner& owner, const std::string& key) const;

  launch::RunDirectory directory_;
  const ReplayOptions& replays_;
  std::list<Owner> owners_;  // in the order of the runs
  std::map<std::string, Error> known_;
  std::map<std::string, finding::Verdict> elsewhere_;  // by key: what the caller has found already
  std::vector<finding::Finding> explained_;  // of these, those that say what comes of them
  size_t replayed_ = 0;
  bool interrupted_ = false;
  std::optional<launch::LaunchEnd> usual_;  // how the first run ended
  finding::AnalysisResult first_;           // without its findings
};

}  // namespace foretell::cli

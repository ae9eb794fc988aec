// SPDX-License-Identifier: Apache-2.0

// Explorer: runs a program, asks what else could have happened, forces it, and goes on from there.
//
// The first run is an ordinary one. Next to it stand runs in which one read returns another write
// (explored_run.h); each is forced on the program, which then continues by some strategy, and what
// it did is looked at in the same way. When nothing is left, every schedule of this input does the
// same as one of the runs (docs/explore.md has the proof), unless something was not varied or not
// seen: then that is said, and random runs go on until the limits.
//
// Between the forced runs there are free ones, random walks and PCT: they find soon what is far
// from the first run, and are not needed for anything else.
//
// Work is done in rounds of a few tasks side by side. What a round does depends only on the rounds
// before it, not on how many processors there are.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "explore/frontier.h"
#include "explore/hidden_input.h"
#include "finding/result.h"
#include "launch/many_runs.h"
#include "pipeline/driver.h"

namespace foretell::explore {

struct ExplorerOptions {
  size_t most_runs = 1000;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  // This many runs are made even if the deadline passes, but not `latest`: how busy the machine is
  // must not decide alone what is found.
  size_t least_runs = 0;
  std::optional<std::chrono::steady_clock::time_point> latest = {};
  const std::atomic<bool>* stop = nullptr;
  uint64_t seed = 1;
  unsigned jobs = 0;                 // runs at the same time; 0: one for each processor
  pipeline::DriverOptions analysis;  // of each run that did something new
  bool shows_first_run = true;       // its output
};

struct Counts {
  size_t runs = 0;
  size_t behaviors = 0;  // that differ in what reads returned
  size_t left = 0;       // alternatives that are known and were not tried
  size_t impossible = 0, gave_up = 0;
};

// A run that did something new, or ended badly.
struct NewRun {
  size_t number = 0;  // from 1
  launch::OneRun run;
  finding::AnalysisResult result;
};

enum class Ending : uint8_t { covered, nothing_left, runs_used, time_used, stopped, not_recorded };

struct Exploration {
  Counts counts;
  Ending ending = Ending::covered;
  // Why "covered" cannot be said although nothing is left; each with how often.
  std::map<std::string, size_t> not_covered;
};

class Explorer {
 public:
  // Called between rounds, in the order of the runs, by the thread that called explore().
  using OnRun = std::function<Result<void>(NewRun&&)>;
  using OnProgress = std::function<void(const Counts&)>;

  Explorer(launch::ManyRuns& runs, ExplorerOptions options)
      : runs_(runs), options_(std::move(options)) {}

  Result<Exploration> explore(const OnRun& on_run, const OnProgress& on_progress);

 private:
  struct Job;
  std::vector<Job> next_round();
  launch::RunChoice choice_of(const Job& job) const;
  void work(Job& job) const;
  Result<void> take_in(Job& job, const OnRun& on_run);
  bool is_over() const;
  bool may_go_on_at_random() const;

  launch::ManyRuns& runs_;
  const ExplorerOptions options_;
  Frontier frontier_;
  HiddenInput hidden_;
  Exploration exploration_;
  size_t started_ = 0;        // runs
  size_t nothing_new_ = 0;    // runs since the last new behavior
  uint64_t usual_steps_ = 0;  // of the first run
};

}  // namespace foretell::explore

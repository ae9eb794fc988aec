// SPDX-License-Identifier: Apache-2.0

#include "cli/explored_tests.h"

#include <algorithm>
#include <set>

#include "cli/exploration_text.h"
#include "cli/explored_findings.h"
#include "cli/interruption.h"
#include "launch/many_runs.h"

namespace foretell::cli {
namespace {

using test_runs::ProcessRun;

// A process that could be started again, and has threads whose order can differ.
bool can_be_explored(const ProcessRun& run) {
  return run.directory && run.came_to_its_end() && !run.process.forked && run.run.recorded &&
         !run.run.deadlocked() && run.run.info.threads > 1;
}

// Two processes that would do the same.
std::vector<std::string> identity_of(const launch::RunInfo& info) {
  std::vector<std::string> words = info.command;
  words.insert(words.end(), {"", info.program, info.directory, info.standard_input});
  for (const auto& [name, value] : info.environment) words.push_back(name + '=' + value);
  return words;
}

class Exploring {
 public:
  explicit Exploring(const ExploreTests& how) : how_(how) {}

  Result<void> explore(const ProcessRun& run) {
    const launch::RunInfo& info = run.run.info;
    FORETELL_TRY(many, launch::ManyRuns::create({.command = info.command,
                                                 .folder = run.directory->path(),
                                                 .time_limit = how_.time_limit,
                                                 .most_bytes = {},
                                                 .standard_input = info.standard_input,
                                                 .like = &info}));
    explore::ExplorerOptions options{
        .most_runs = how_.most_runs, .seed = info.seed, .jobs = how_.jobs};
    options.stop = &Interruptible::flag();
    options.analysis = how_.driver;
    options.analysis.stop = options.stop;
    options.analysis.trials = false;
    options.analysis.progress = [](auto, auto) {};
    options.analysis.jobs = 1;
    options.shows_first_run = false;
    ExploredFindings found(*run.directory, how_.replays);
    found.know(run.result.findings);
    explore::Explorer explorer(*many, options);
    FORETELL_TRY(done, explorer.explore(
                           [&](explore::NewRun&& fresh) -> Result<void> {
                             return found.take(std::move(fresh),
                                               {.time_limit = how_.replays.time_limit(),
                                                .deadline = {},
                                                .stop = options.stop,
                                                .compare_ends = true});
                           },
                           [&](const explore::Counts& counts) {
                             how_.progress(fmt::format("explore {}: {} runs, {} left", run.title(),
                                                       counts.runs, counts.left));
                           }));
    notes_.push_back(exploration_note(done, run.title()));
    for (ExploredFindings::Shown& shown : found.take_runs()) keep(run, std::move(shown));
    return {};
  }

  std::vector<Diagnostic> notes_;
  std::vector<ProcessRun> runs_;  // that show something

 private:
  void keep(const ProcessRun& of, ExploredFindings::Shown&& shown) {
    ProcessRun run{.name = of.name + '/' + shown.folder,
                   .process = of.process,
                   .directory = std::move(shown.directory),
                   .run = std::move(shown.run),
                   .result = std::move(shown.result),
                   .cases = {},
                   .test = of.test,
                   .failure = {},
                   .explored = true};
    runs_.push_back(std::move(run));
  }

  const ExploreTests& how_;
};

}  // namespace

Result<std::vector<Diagnostic>> explore_tests(const ExploreTests& how,
                                              std::vector<ProcessRun>& runs) {
  Exploring exploring(how);
  std::set<std::vector<std::string>> known;
  for (const ProcessRun& run : runs) {
    if (Interruptible::flag()) break;
    if (!can_be_explored(run) || !known.insert(identity_of(run.run.info)).second) continue;
    // The folder it ran in may be gone; the others may have theirs.
    if (auto done = exploring.explore(run); !done) {
      exploring.notes_.push_back({"not explored: " + done.error().message, run.title()});
    }
  }
  std::ranges::move(exploring.runs_, std::back_inserter(runs));
  return std::move(exploring.notes_);
}

}  // namespace foretell::cli

// SPDX-License-Identifier: Apache-2.0

#include "cli/further_runs.h"

#include <algorithm>
#include <chrono>

#include "cli/explored_findings.h"
#include "cli/interruption.h"
#include "explore/explorer.h"
#include "launch/many_runs.h"

namespace foretell::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kLeastSeconds = 1;
// Where the machine is so busy that a second is not enough for these runs, it may take longer.
constexpr size_t kLeastRuns = 24;
constexpr double kLatestSeconds = 5;
// A run that takes longer than this many times the first one does not come to its end.
constexpr double kMostTimesLonger = 3;

// "12 further runs of the program showed 5 behaviors".
std::string extent_of_runs(const explore::Exploration& done) {
  const explore::Counts& counts = done.counts;
  std::string text = fmt::format("{} further runs of the program showed {} behavior{}", counts.runs,
                                 counts.behaviors, counts.behaviors == 1 ? "" : "s");
  if (done.ending == explore::Ending::covered) {
    text += ": all schedules of this input are covered";
  } else if (counts.left > 0) {
    text += "; 'foretell explore' tries more";
  }
  return text;
}

}  // namespace

FurtherRuns::FurtherRuns() = default;
FurtherRuns::~FurtherRuns() = default;

void FurtherRuns::add_to(CLI::App& command) {
  command
      .add_option("--runs", most,
                  "Run the program at most N times, under other schedules (default:\n"
                  "as often as fits into the time of the first run, at least a second;\n"
                  "1: only once). Replays are not counted")
      ->check(CLI::Range(1, 100'000'000))
      ->envname("FORETELL_RUNS");
}

bool FurtherRuns::are_wanted(const RecordingOptions& recording, const Setting& setting) const {
  const launch::RecordedRun& first = setting.first;
  if (most == 1 || setting.replays.never) return false;
  // A schedule that was asked for is the one to look at.
  if (recording.scheduling.parallel || !recording.schedule.empty()) return false;
  // What is too long to be recorded as a whole once is too long to be recorded often.
  if (first.info.only_contended || first.is_cut_short) return false;
  const bool came_to_its_end =
      first.end.kind == launch::EndKind::exited && !first.end.interrupted && !first.deadlocked();
  return came_to_its_end && first.info.threads > 1 && !setting.budget.is_used_up() &&
         !Interruptible::flag();
}

Result<void> FurtherRuns::explore(const Setting& setting, finding::AnalysisResult& result) {
  const launch::RecordedRun& first = setting.first;
  const double seconds = std::max(kLeastSeconds, first.end.seconds);
  const launch::ManyRunsRequest request{
      .command = first.info.command,
      .folder = setting.directory.path(),
      .time_limit = std::chrono::milliseconds(static_cast<int64_t>(
          1000 * std::max(kLeastSeconds, kMostTimesLonger * first.end.seconds))),
      .most_bytes = {},
      .standard_input = first.info.standard_input};
  FORETELL_TRY(runs, launch::ManyRuns::create(request));
  const auto begin = Clock::now();
  explore::ExplorerOptions options{.seed = first.info.seed, .shows_first_run = false};
  options.deadline = setting.budget.end_of(CommandBudget::kReplay);
  if (most) {
    options.most_runs = *most;
  } else {
    const auto after = [&](double s) {
      const auto end = begin + std::chrono::duration_cast<Clock::duration>(Seconds(s));
      return std::min(end, setting.budget.end_of(CommandBudget::kReplay).value_or(end));
    };
    options.deadline = after(seconds);
    options.least_runs = kLeastRuns;
    options.latest = after(std::max(seconds, kLatestSeconds));
  }
  options.stop = &Interruptible::flag();
  options.analysis = setting.analysis;
  // Of one run: it must not take what all have.
  options.analysis.budget = std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(seconds));
  options.analysis.trials = false;
  options.analysis.progress = [](auto, auto) {};
  options.analysis.jobs = 1;

  found_ = std::make_unique<ExploredFindings>(setting.directory, setting.replays);
  found_->know(result.findings);
  explore::Explorer explorer(*runs, options);
  // What is found at the last moment is tried, too.
  const auto end_of_replays = setting.budget.end_of(CommandBudget::kReplay);
  auto done = explorer.explore(
      [&](explore::NewRun&& run) -> Result<void> {
        return found_->take(std::move(run), {.time_limit = setting.replays.time_limit(),
                                             .deadline = end_of_replays,
                                             .stop = options.stop,
                                             .compare_ends = true});
      },
      [&](const explore::Counts& counts) {
        const double spent = Seconds(Clock::now() - begin).count();
        const double share =
            most ? static_cast<double>(counts.runs) / static_cast<double>(*most) : spent / seconds;
        setting.progress.update(fmt::format("explore: {} runs", counts.runs), std::min(share, 1.0));
      });
  if (!done) return std::unexpected(std::move(done).error());
  found_->add_to(result.findings);
  // The first of them only repeats the recorded run.
  const bool is_one = done->counts.runs < 2 && done->ending != explore::Ending::covered;
  if (!is_one) result.notes.push_back({extent_of_runs(*done), ""});
  return {};
}

Result<void> FurtherRuns::finish(const Setting& setting, const finding::AnalysisResult& result) {
  return found_ ? found_->write(result, setting.first.info.command) : Result<void>();
}

std::vector<ReportedTrace> FurtherRuns::traces() const {
  return found_ ? found_->traces() : std::vector<ReportedTrace>();
}

}  // namespace foretell::cli

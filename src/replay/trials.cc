// SPDX-License-Identifier: Apache-2.0

#include "replay/trials.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/cpu_time.h"
#include "replay/consequence.h"
#include "replay/places.h"

namespace foretell::replay {
namespace {

using Clock = std::chrono::steady_clock;
using Places = std::set<std::pair<std::string, std::string>>;

constexpr double kShareOfRecording = 0.3, kLeastCpuSeconds = 0.5;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

Places places_of(const finding::Finding& f) {
  Places set;
  for (const finding::DescribedEvent& e : f.events) set.emplace(e.thread, e.site);
  return set;
}

// The same events: what an analysis proposed and the judge refuted or gave up.
bool is_about_the_same(const finding::Finding& a, const finding::Finding& b) {
  return a.kind() == b.kind() && places_of(a) == places_of(b);
}

// A race between the read of `trial` and one of the two writes it is about, or between these.
bool is_explained_by(const finding::Finding& race, const finding::Finding& trial) {
  if (race.kind() != finding::FindingKind::race && race.kind() != finding::FindingKind::memory)
    return false;
  Places known = places_of(trial);
  const auto* read = trial.as<finding::NondeterminismFinding>();
  if (read->seen_write) known.emplace(read->seen_write->thread, read->seen_write->site);
  return std::ranges::includes(known, places_of(race));
}

class Trials {
 public:
  Trials(const Replayer& replayer, const launch::RunDirectory& directory,
         const launch::RecordedRun& run, const TryOptions& options, finding::AnalysisResult& result)
      : replayer_(replayer), directory_(directory), run_(run), options_(options), result_(result) {}

  Result<void> run() {
    constexpr double kLeastSeconds = 2, kLeastForReads = 0.7;
    const Clock::time_point end =
        Clock::now() + seconds(std::max(kLeastSeconds, 2 * run_.info.seconds));
    for (finding::Finding& trial : result_.trials) {
      if (is_read(trial) || Clock::now() >= end || allowance_.is_used_up()) continue;
      if (auto done = try_event(trial); !done) return done;
    }
    // Nobody asked for the reads: they have a shorter time.
    const Clock::time_point end_of_reads =
        Clock::now() + seconds(std::max(kLeastForReads, run_.info.seconds));
    for (finding::Finding& trial : result_.trials) {
      if (!is_read(trial) || Clock::now() >= end_of_reads || allowance_.is_used_up()) continue;
      if (auto done = try_read(trial); !done) return done;
    }
    finish();
    return {};
  }

 private:
  void prepare(finding::Finding& trial) {
    trial.id = fmt::format("trial-{}", &trial - result_.trials.data() + 1);
    const size_t at_end = is_read(trial) ? 1 : 0;
    trial.schedule = run_.steps.of_witness(trial.witness->prefix_end, trial.witness->steps, at_end);
  }

  void forget_output(const std::string& name) const {
    std::error_code error;
    std::filesystem::remove(directory_.output(name), error);
  }

  Result<void> try_event(finding::Finding& trial) {
    if (is_interrupted_) return {};
    prepare(trial);
    FORETELL_TRY(outcome, try_finding(replayer_, trial, options_));
    forget_output(trial.id);
    is_interrupted_ = outcome.end.interrupted;
    if (!is_interrupted_ && outcome.outcome == ReplayOutcome::diverged) {
      if (auto done = try_by_places(trial); !done) return done;
    }
    if (!is_interrupted_ && trial.verdict == finding::Verdict::confirmed) {
      confirmed_.push_back(std::move(trial));
    }
    return {};
  }

  // A thread that read another value took other steps on its way, but may come to the same places.
  Result<void> try_by_places(finding::Finding& trial) {
    if (allowance_.is_used_up()) return {};
    FORETELL_TRY(recorded, run_.trace.open());
    FORETELL_TRY(places,
                 schedule::by_places(*trial.schedule, steps_at_end(witness_end_of(trial.kind())),
                                     *recorded, run_.steps));
    const auto steps = steps_of_places(replayer_, places,
                                       {.name = trial.id,
                                        .time_limit = options_.time_limit,
                                        .deadline = options_.deadline,
                                        .stop = options_.stop});
    if (!steps || *steps == *trial.schedule) return {};  // the first replay said why
    finding::Finding again = trial;
    again.schedule = *steps;
    FORETELL_TRY(outcome, try_finding(replayer_, again, options_));
    forget_output(trial.id);
    is_interrupted_ = outcome.end.interrupted;
    if (again.verdict == finding::Verdict::confirmed) trial = std::move(again);
    return {};
  }

  Result<void> try_read(finding::Finding& trial) {
    if (is_interrupted_ || !options_.compare_ends || !is_usable_) return {};
    prepare(trial);
    const ReplayRequest request{.name = trial.id,
                                .after = AfterSchedule::go_on,
                                .time_limit = options_.time_limit,
                                .deadline = options_.deadline,
                                .stop = options_.stop};
    FORETELL_TRY(replayed, replayer_.replay(*trial.schedule, nullptr, request));
    is_interrupted_ = replayed.end.interrupted;
    const bool bad = !is_interrupted_ && !bad_end(replayed, replayer_.info()).empty() &&
                     !is_known_deadlock(replayed);
    forget_output(trial.id);
    if (!bad) return {};
    FORETELL_TRY(usable, recorded_schedule_ends_well(request));
    if (!(is_usable_ = usable)) return {};
    FORETELL_TRY(outcome, try_finding(replayer_, trial, options_));
    forget_output(trial.id);
    is_interrupted_ = outcome.end.interrupted;
    if (trial.verdict != finding::Verdict::confirmed || trial.consequence.empty()) return {};
    for (finding::Finding& known : result_.findings) {
      if (!is_explained_by(known, trial)) continue;
      if (known.consequence.empty()) known.consequence = trial.consequence;
      return {};
    }
    const bool is_known = std::ranges::any_of(confirmed_, [&](const finding::Finding& other) {
      return is_about_the_same(other, trial) || other.consequence == trial.consequence;
    });
    if (!is_known) confirmed_.push_back(std::move(trial));
    return {};
  }

  // The deadlock itself says more than the read that leads to it.
  bool is_known_deadlock(const ReplayResult& replayed) const {
    const auto is_deadlock = [](const finding::Finding& f) {
      return f.kind() == finding::FindingKind::deadlock && f.witness;
    };
    return replayed.facts.state == recording::State::deadlock &&
           (std::ranges::any_of(result_.findings, is_deadlock) ||
            std::ranges::any_of(confirmed_, is_deadlock));
  }

  // Asked once, when the first read ends badly.
  Result<bool> recorded_schedule_ends_well(const ReplayRequest& request) {
    if (was_asked_) return is_usable_;
    was_asked_ = true;
    ReplayRequest again = request;
    again.name = "trial-recorded";
    FORETELL_TRY(replayed, replayer_.run_seed(replayer_.info().seed, false, again));
    forget_output(again.name);
    return bad_end(replayed, replayer_.info()).empty();
  }

  static bool is_read(const finding::Finding& trial) {
    return trial.kind() == finding::FindingKind::nondeterminism;
  }

  void finish() {
    result_.trials.clear();
    for (finding::Finding& found : confirmed_) {
      auto same = [&](const finding::Finding& other) { return is_about_the_same(found, other); };
      std::erase_if(result_.dismissed, same);
      std::erase_if(result_.findings, same);
    }
    std::ranges::move(confirmed_, std::back_inserter(result_.findings));
    sort_by_verdict(result_.findings);
    result_.number_findings();
  }

  const Replayer& replayer_;
  const launch::RunDirectory& directory_;
  const launch::RecordedRun& run_;
  const TryOptions& options_;
  finding::AnalysisResult& result_;
  std::vector<finding::Finding> confirmed_;
  // Most trials show nothing: of a program that runs long there are few.
  const CpuAllowance allowance_{kShareOfRecording, kLeastCpuSeconds};
  bool is_interrupted_ = false;
  bool was_asked_ = false, is_usable_ = true;
};

}  // namespace

Result<void> try_trials(const Replayer& replayer, const launch::RunDirectory& directory,
                        const launch::RecordedRun& run, const TryOptions& options,
                        finding::AnalysisResult& result) {
  return Trials(replayer, directory, run, options, result).run();
}

}  // namespace foretell::replay

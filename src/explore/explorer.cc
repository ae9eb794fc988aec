// SPDX-License-Identifier: Apache-2.0

#include "explore/explorer.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "replay/confirm.h"

namespace foretell::explore {
namespace {

using Clock = std::chrono::steady_clock;

// Tasks of a round. Not the number of processors: then the same command would do other runs on
// other machines.
constexpr size_t kRound = 4;
// One in so many rounds has a free run.
constexpr size_t kFreeEvery = 4;
// Free runs without anything new, when nothing else is left, that are taken for the end.
constexpr size_t kPatience = 100;

// How runs go on where nothing is forced. Few switches, many, and few at bad moments.
struct Continuation {
  const char* strategy;
  std::optional<uint64_t> quantum, depth;
};
constexpr std::array kContinuations{
    Continuation{"round-robin", {}, {}},
    Continuation{"random", 2, {}},
    Continuation{"pct", {}, 3},
    Continuation{"random", 12, {}},
};

// Why a run does not say all about the schedules that begin like it; empty if it does.
std::vector<std::string> limits_of(const launch::OneRun& run) {
  std::vector<std::string> limits;
  const trace::RecordingFacts& facts = run.facts;
  auto add = [&](bool is_so, std::string_view what) {
    if (is_so) limits.emplace_back(what);
  };
  add(!run.recorded, "runs that left no recording");
  add(run.end.kind == launch::EndKind::timed_out, "runs that took too long and were ended");
  if (!run.recorded) return limits;
  add(run.end.kind == launch::EndKind::signalled, "what other threads do after a crash");
  add(run.deadlocked(), "what other threads do after a deadlock");
  add(facts.watchdog_count > 0 || facts.uncontrolled > 0,
      "threads that wait in code which is not instrumented");
  add(facts.cut_at_end > 0, "threads that had more to do when the program ended");
  add(facts.forks > 0, "processes that were forked");
  add(facts.skipped_ignored > 0, "accesses that the program told Foretell to ignore");
  add(!facts.error.empty() || facts.dropped_bytes > 0 || run.is_cut_short,
      "runs that were not recorded to their end");
  return limits;
}

}  // namespace

// A task and what came of it.
struct Explorer::Job {
  Frontier::Task task;
  size_t number = 0;     // of its run; 0: none
  bool is_free = false;  // nothing is forced
  bool goes_on = false;  // free, and what stands next to it is looked at, too
  std::optional<Result<launch::OneRun>> ran;
  std::unique_ptr<ExploredRun> explored;
  std::optional<Result<finding::AnalysisResult>> result;
  std::vector<std::string> limits;
  Neighbors neighbors;
  bool reached = true;  // the run contains the target
  std::string trouble;
};

bool Explorer::is_over() const {
  if (options_.stop != nullptr && *options_.stop) return true;
  if (!options_.deadline || Clock::now() < *options_.deadline) return false;
  const bool may_be_late = options_.latest && Clock::now() < *options_.latest;
  return !may_be_late || exploration_.counts.runs >= options_.least_runs;
}

bool Explorer::may_go_on_at_random() const {
  return !exploration_.not_covered.empty() && nothing_new_ < kPatience;
}

launch::RunChoice Explorer::choice_of(const Job& job) const {
  launch::RunChoice choice{.seed = options_.seed + job.number - 1, .stop = options_.stop};
  if (job.number == 1) {
    choice.shows_output = options_.shows_first_run;
    return choice;
  }
  if (job.task.schedule) choice.schedule = job.task.schedule->to_file("an alternative");
  // The usual way after what was forced, and never for free runs: it would be the first run.
  const size_t which = job.is_free ? 1 + job.number % (kContinuations.size() - 1)
                                   : job.number % kContinuations.size();
  const Continuation& how = kContinuations[which];
  choice.strategy = how.strategy;
  choice.quantum = how.quantum;
  choice.depth = how.depth;
  choice.length = std::max<uint64_t>(usual_steps_, 16);
  return choice;
}

void Explorer::work(Job& job) const {
  ExploredRun* run = job.task.run;
  if (run == nullptr) {
    job.ran = runs_.run(choice_of(job));
    if (!*job.ran || !(*job.ran)->recorded) return;
    // Then nobody asks what it did, unless it is the first.
    if (is_over() && job.number > 1) return;
    job.limits = limits_of(**job.ran);
    auto explored = ExploredRun::of(**job.ran);
    if (!explored) {
      job.trouble = explored.error().message;
      return;
    }
    job.explored = std::move(*explored);
    run = job.explored.get();
    const bool is_new = !frontier_.has_behavior(run->histories().whole());
    if (is_new) {
      for (std::string& kind : run->not_varied()) job.limits.push_back(std::move(kind));
      job.result = replay::analyze_run(**job.ran, options_.analysis);
    }
    if (job.is_free && !(job.goes_on && is_new)) return;
  }
  job.reached = run->contains(job.task.target);
  if (job.reached && !is_over()) {
    job.neighbors = run->next_to(job.task.target, frontier_, [this] { return is_over(); });
  }
}

std::vector<Explorer::Job> Explorer::next_round() {
  std::vector<Job> round;
  const bool may_run = started_ < options_.most_runs;
  if (started_ == 0) {
    frontier_.add_root();
    round.push_back({.task = *frontier_.next(), .number = ++started_});
    return round;
  }
  while (round.size() < kRound && started_ < options_.most_runs) {
    std::optional<Frontier::Task> task = frontier_.next();
    if (!task) break;
    Job& job = round.emplace_back(Job{.task = std::move(*task)});
    if (job.task.run == nullptr) job.number = ++started_;
    if (job.number > 0 && job.number % (kRound * kFreeEvery) == 0 &&
        started_ < options_.most_runs) {
      round.push_back({.number = ++started_, .is_free = true});
    }
  }
  if (round.empty() && may_run && may_go_on_at_random()) {
    while (round.size() < kRound && started_ < options_.most_runs) {
      round.push_back({.number = ++started_, .is_free = true, .goes_on = true});
    }
  }
  return round;
}

Result<void> Explorer::take_in(Job& job, const OnRun& on_run) {
  auto not_covered = [&](const std::string& what) { ++exploration_.not_covered[what]; };
  Counts& counts = exploration_.counts;
  counts.impossible += job.neighbors.impossible;
  counts.gave_up += job.neighbors.gave_up;
  if (job.neighbors.gave_up > 0) {
    exploration_.not_covered["alternatives that could be neither built nor refuted"] +=
        job.neighbors.gave_up;
  }
  if (job.number > 0) {
    if (!*job.ran) return std::unexpected(std::move(*job.ran).error());
    launch::OneRun& run = **job.ran;
    ++counts.runs;
    ++nothing_new_;
    if (!job.trouble.empty()) not_covered("runs that cannot be analyzed: " + job.trouble);
    if (!run.recorded) not_covered("runs that left no recording");
    for (const std::string& limit : job.limits) not_covered(limit);
    if (!job.reached) not_covered("alternatives that the program did not take when forced to");
    if (job.number == 1) usual_steps_ = run.steps.steps();
    bool is_new = false;
    if (job.explored) {
      if (const auto hidden = hidden_.look_at(*job.explored)) not_covered(*hidden);
      is_new = frontier_.add(std::move(job.explored));
    }
    if (is_new) nothing_new_ = 0;
    if (is_new || run.end.kind != launch::EndKind::exited || !run.recorded) {
      NewRun fresh{.number = job.number, .run = std::move(run)};
      if (job.result) {
        if (!*job.result) return std::unexpected(std::move(*job.result).error());
        fresh.result = std::move(**job.result);
      }
      if (auto done = on_run(std::move(fresh)); !done) return done;
    }
  }
  frontier_.add(std::move(job.neighbors.alternatives));
  counts.behaviors = frontier_.runs();
  counts.left = frontier_.left();
  return {};
}

Result<Exploration> Explorer::explore(const OnRun& on_run, const OnProgress& on_progress) {
  if (const auto& unseen = runs_.facts().uninstrumented; !unseen.empty()) {
    exploration_
        .not_covered["what was not built with 'foretell cc': " + launch::list_of_files(unseen)] = 1;
  }
  for (;;) {
    std::vector<Job> round = next_round();
    if (round.empty()) break;
    parallel_for(round.size(), options_.jobs, [&](size_t i) { work(round[i]); });
    // What was cut off by the end of the time says nothing.
    if (is_over() && exploration_.counts.runs > 0) {
      exploration_.counts.left += round.size();
      break;
    }
    for (Job& job : round) {
      if (auto done = take_in(job, on_run); !done) return std::unexpected(std::move(done).error());
    }
    if (frontier_.runs() == 0) {
      exploration_.ending = Ending::not_recorded;
      return exploration_;
    }
    on_progress(exploration_.counts);
    if (is_over()) break;
  }
  const bool nothing_left = exploration_.counts.left == 0;
  exploration_.ending = options_.stop != nullptr && *options_.stop ? Ending::stopped
                        : is_over()                                ? Ending::time_used
                        : !nothing_left                            ? Ending::runs_used
                        : exploration_.not_covered.empty()         ? Ending::covered
                                                                   : Ending::nothing_left;
  return exploration_;
}

}  // namespace foretell::explore

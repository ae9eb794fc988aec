// SPDX-License-Identifier: Apache-2.0

#include "schedule/minimize.h"

#include <algorithm>

namespace foretell::schedule {
namespace {

using Runs = std::vector<ScheduleRun>;

class Minimizer {
 public:
  Minimizer(const Schedule& schedule, const std::function<bool(const Schedule&)>& still_reproduces,
            const MinimizeOptions& options)
      : still_reproduces_(still_reproduces),
        options_(options),
        parents_(schedule.parents),
        counted_(schedule.counted) {
    const uint64_t steps = schedule.steps();
    const uint64_t pinned = std::min(options.pinned_steps, steps);
    const Schedule movable = schedule.truncated(steps - pinned);
    runs_ = movable.runs;
    uint64_t skip = steps - pinned;
    for (const ScheduleRun& run : schedule.runs) {
      const uint64_t skipped = std::min(skip, run.steps);
      skip -= skipped;
      if (run.steps > skipped) pinned_.push_back({run.thread, run.steps - skipped});
    }
  }

  Minimized run() {
    bool progress = true;
    while (progress && !out_of_tries()) {
      progress = group_windows();
      progress |= drop_last_runs();
    }
    return {joined(runs_), tries_, cut_short_};
  }

 private:
  bool out_of_tries() const { return tries_ >= options_.most_tries; }

  Schedule joined(const Runs& runs) const {
    Schedule schedule{{}, parents_, counted_};
    for (const ScheduleRun& run : runs) schedule.append(run.thread, run.steps);
    for (const ScheduleRun& run : pinned_) schedule.append(run.thread, run.steps);
    return schedule;
  }

  // Takes over `runs` if that has fewer switches, or as many and fewer steps, and reproduces.
  bool accept(const Runs& runs) {
    const Schedule now = joined(runs_), next = joined(runs);
    const auto size = [](const Schedule& s) { return std::pair(s.switches(), s.steps()); };
    if (size(next) >= size(now)) return false;
    if (out_of_tries()) {
      cut_short_ = true;
      return false;
    }
    ++tries_;
    if (!still_reproduces_(next)) return false;
    runs_ = next.truncated(next.steps() - std::min(options_.pinned_steps, next.steps())).runs;
    return true;
  }

  // The runs [begin, end) as one run per thread. The thread that ran before them comes first and
  // the one that runs after them last, so that these join their neighbors.
  Runs grouped(size_t begin, size_t end) const {
    Runs window;
    for (size_t i = begin; i < end; ++i) {
      auto same = std::ranges::find(window, runs_[i].thread, &ScheduleRun::thread);
      if (same == window.end()) {
        window.push_back(runs_[i]);
      } else {
        same->steps += runs_[i].steps;
      }
    }
    const Runs& after = end < runs_.size() ? runs_ : pinned_;
    const size_t next = end < runs_.size() ? end : 0;
    if (next < after.size()) {
      auto last = std::ranges::find(window, after[next].thread, &ScheduleRun::thread);
      if (last != window.end()) std::rotate(last, last + 1, window.end());
    }
    if (begin > 0) {
      auto first = std::ranges::find(window, runs_[begin - 1].thread, &ScheduleRun::thread);
      if (first != window.end()) std::rotate(window.begin(), first, first + 1);
    }
    Runs result(runs_.begin(), runs_.begin() + static_cast<ptrdiff_t>(begin));
    result.insert(result.end(), window.begin(), window.end());
    result.insert(result.end(), runs_.begin() + static_cast<ptrdiff_t>(end), runs_.end());
    return result;
  }

  bool group_windows() {
    bool progress = false;
    for (size_t size = runs_.size(); size >= 2; size = size == 3 ? 2 : (size + 1) / 2) {
      for (size_t begin = 0; begin + 1 < runs_.size() && !cut_short_;) {
        const size_t end = std::min(begin + size, runs_.size());
        if (accept(grouped(begin, end))) {
          progress = true;
        } else {
          // Windows overlap by half, so that a switch at the edge of one is inside another.
          begin += std::max<size_t>(1, size / 2);
        }
      }
      if (size == 2) break;
    }
    return progress;
  }

  // Leaves out what a thread does last, if nothing later needs it.
  bool drop_last_runs() {
    bool progress = false;
    for (size_t i = runs_.size(); i-- > 0 && !cut_short_;) {
      if (i >= runs_.size()) continue;
      auto same_thread = [&](const ScheduleRun& run) { return run.thread == runs_[i].thread; };
      const auto later = runs_.begin() + static_cast<ptrdiff_t>(i) + 1;
      if (std::any_of(later, runs_.end(), same_thread)) continue;
      if (std::ranges::any_of(pinned_, same_thread)) continue;
      Runs without = runs_;
      without.erase(without.begin() + static_cast<ptrdiff_t>(i));
      progress |= accept(without);
    }
    return progress;
  }

  const std::function<bool(const Schedule&)>& still_reproduces_;
  const MinimizeOptions& options_;
  std::vector<ThreadParent> parents_;
  Counted counted_;
  Runs runs_;    // what may move
  Runs pinned_;  // what may not, after it
  uint64_t tries_ = 0;
  bool cut_short_ = false;
};

}  // namespace

Minimized minimize(const Schedule& schedule,
                   const std::function<bool(const Schedule&)>& still_reproduces,
                   const MinimizeOptions& options) {
  return Minimizer(schedule, still_reproduces, options).run();
}

}  // namespace foretell::schedule

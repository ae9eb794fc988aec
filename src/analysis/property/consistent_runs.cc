// SPDX-License-Identifier: Apache-2.0

#include "analysis/property/consistent_runs.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <numeric>

namespace foretell::analysis {

using judge::kNoPosition;
using judge::Position;
using property_language::Quantifier;
using property_language::Verdict;

namespace {

using Words = RunModel::Words;
using Monitor = property_language::Monitor;

class Generator {
 public:
  Generator(const RunModel& model, const property_language::Property& property,
            const Letters& letters, const RunLimits& limits)
      : model_(model),
        limits_(limits),
        letters_(letters),
        monitor_(property.monitor()),
        wants_some_(property.quantifier == Quantifier::some_run),
        looks_at_ends_(wants_some_ || property.whole) {
    order_recorded();
  }

  RunsOutcome run();

 private:
  // How a cut came about: the cut before it and the thread that moved, then what commutes.
  struct Origin {
    uint32_t before;
    uint32_t thread;
  };
  static constexpr uint32_t kNobody = ~0u;
  using Level = absl::flat_hash_map<Words, uint32_t>;  // cuts with the monitor's state, and origins

  void order_recorded();
  // Does what commutes with all that others still do. False: the run ends here, see outcome_.
  bool settle(Words& cut, Monitor::State& state, std::vector<Position>* steps);
  bool do_step(Words& cut, Monitor::State& state, Position p, std::vector<Position>* steps);
  void expand(const Words& cut, uint32_t origin);
  void go(const Words& cut, uint32_t before, uint32_t thread);
  void end_of_run(const Words& cut, Monitor::State state);
  ThreadSet chosen_threads(const Words& cut) const;
  ThreadSet closure(const Words& cut, size_t thread, std::vector<RunModel::Obstacle>& known) const;
  void narrow(Level& level);
  uint64_t distance(const Words& cut) const;
  std::vector<Position> steps_to(uint32_t origin);
  bool is_over() const { return found_ || outcome_.cuts >= limits_.most_cuts || stopped_; }

  const RunModel& model_;
  const RunLimits& limits_;
  const Letters& letters_;
  std::unique_ptr<Monitor> monitor_;
  const bool wants_some_, looks_at_ends_;

  std::map<uint64_t, Level> levels_;  // by the number of steps done
  std::vector<Origin> origins_;
  std::vector<uint32_t> recorded_thread_;  // of each kept step in recorded order
  Words recorded_cut_;                     // of the present level
  uint64_t recorded_steps_ = 0;
  bool found_ = false, stopped_ = false;
  Origin violating_{0, kNobody};
  RunsOutcome outcome_;
};

void Generator::order_recorded() {
  std::vector<Position> all;
  for (size_t t = 0; t < model_.thread_count(); ++t) {
    all.insert(all.end(), model_.steps_of(t).begin(), model_.steps_of(t).end());
  }
  std::ranges::sort(all);
  for (Position p : all) {
    recorded_thread_.push_back(static_cast<uint32_t>(model_.facts().thread_index(p)));
  }
  recorded_cut_.assign(model_.thread_count(), 0);
}

bool Generator::do_step(Words& cut, Monitor::State& state, Position p,
                        std::vector<Position>* steps) {
  model_.apply(cut, p);
  if (steps != nullptr) steps->push_back(p);
  if (letters_[p] == kNoLetter) return true;
  state = monitor_->next(state, letters_[p], static_cast<uint32_t>(model_.facts().thread_index(p)));
  return monitor_->verdict(state) != Verdict::violated;
}

// The set is that of all threads whose order matters to somebody in it; see the header.
ThreadSet Generator::closure(const Words& cut, size_t thread,
                             std::vector<RunModel::Obstacle>& known) const {
  ThreadSet set = ThreadSet{1} << thread;
  for (ThreadSet left = set; left != 0;) {
    const auto t = static_cast<size_t>(std::countr_zero(left));
    left &= left - 1;
    const Position p = model_.next_of(cut, t);
    if (p == kNoPosition) continue;
    const ThreadSet more =
        (known[t].is_enabled ? model_.conflicting(cut, p) : known[t].helpers) & ~set;
    set |= more;
    left |= more;
  }
  return set;
}

ThreadSet Generator::chosen_threads(const Words& cut) const {
  std::vector<RunModel::Obstacle> known(model_.thread_count());
  ThreadSet enabled = 0;
  for (size_t t = 0; t < model_.thread_count(); ++t) {
    const Position p = model_.next_of(cut, t);
    if (p == kNoPosition) continue;
    known[t] = model_.obstacle(cut, p);
    if (known[t].is_enabled) enabled |= ThreadSet{1} << t;
  }
  ThreadSet best = enabled;
  for (ThreadSet left = enabled; left != 0; left &= left - 1) {
    const ThreadSet set =
        closure(cut, static_cast<size_t>(std::countr_zero(left)), known) & enabled;
    if (std::popcount(set) < std::popcount(best)) best = set;
    if (std::has_single_bit(best)) break;
  }
  return best;
}

bool Generator::settle(Words& cut, Monitor::State& state, std::vector<Position>* steps) {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t t = 0; t < model_.thread_count(); ++t) {
      for (;;) {
        const Position p = model_.next_of(cut, t);
        if (p == kNoPosition || model_.conflicting(cut, p) != 0) break;
        if (!model_.obstacle(cut, p).is_enabled) break;
        moved = true;
        if (!do_step(cut, state, p, steps)) return false;
      }
    }
  }
  return true;
}

// The steps of the run that leads to a cut, and what settled after each move.
std::vector<Position> Generator::steps_to(uint32_t origin) {
  std::vector<uint32_t> moves;
  for (uint32_t at = origin; origins_[at].thread != kNobody; at = origins_[at].before) {
    moves.push_back(origins_[at].thread);
  }
  std::ranges::reverse(moves);
  std::vector<Position> steps;
  Words cut = model_.initial();
  Monitor::State state = monitor_->initial();
  settle(cut, state, &steps);
  for (uint32_t thread : moves) {
    do_step(cut, state, model_.next_of(cut, thread), &steps);
    settle(cut, state, &steps);
  }
  return steps;
}

void Generator::end_of_run(const Words& cut, Monitor::State state) {
  if (!looks_at_ends_ || !model_.is_complete(cut)) return;
  if (monitor_->may_end(state) == wants_some_) found_ = true;
}

void Generator::go(const Words& from, uint32_t before, uint32_t thread) {
  Words cut(from.begin(), from.end() - 1);
  Monitor::State state = from.back();
  bool fine = true;
  if (thread != kNobody) fine = do_step(cut, state, model_.next_of(cut, thread), nullptr);
  if (fine) fine = settle(cut, state, nullptr);
  if (!fine) {
    if (wants_some_) return;  // this run is not the one
    found_ = true;
    violating_ = {before, thread};
    return;
  }
  end_of_run(cut, state);
  if (found_) {
    outcome_.at_end = !wants_some_;
    violating_ = {before, thread};
    return;
  }
  const bool can_change =
      looks_at_ends_ || (model_.with_visible(cut) != 0 && monitor_->is_at_risk(state));
  if (!can_change) return;
  model_.forget_writers(cut);
  const uint64_t done = std::accumulate(
      cut.begin(), cut.begin() + static_cast<ptrdiff_t>(model_.thread_count()), uint64_t{0});
  cut.push_back(state);
  auto [it, fresh] = levels_[done].try_emplace(std::move(cut), 0);
  if (!fresh) return;
  it->second = static_cast<uint32_t>(origins_.size());
  origins_.push_back({before, thread});
  ++outcome_.cuts;
}

void Generator::expand(const Words& cut, uint32_t origin) {
  for (ThreadSet left = chosen_threads(cut); left != 0 && !is_over(); left &= left - 1) {
    go(cut, origin, static_cast<uint32_t>(std::countr_zero(left)));
  }
}

// How far the threads are from where they were in the recorded run after as many steps.
uint64_t Generator::distance(const Words& cut) const {
  uint64_t sum = 0;
  for (size_t t = 0; t < model_.thread_count(); ++t) {
    sum += cut[t] > recorded_cut_[t] ? cut[t] - recorded_cut_[t] : recorded_cut_[t] - cut[t];
  }
  return sum;
}

void Generator::narrow(Level& level) {
  if (level.size() <= limits_.widest_level) return;
  std::vector<std::pair<uint64_t, uint32_t>> by_distance;  // and origin, so that ties are settled
  for (const auto& [cut, origin] : level) by_distance.emplace_back(distance(cut), origin);
  const auto last = by_distance.begin() + static_cast<ptrdiff_t>(limits_.widest_level);
  std::ranges::nth_element(by_distance, last);
  const auto limit = *last;
  absl::erase_if(level, [&](const auto& entry) {
    return std::pair(distance(entry.first), entry.second) >= limit;
  });
  outcome_.left_out = true;
}

RunsOutcome Generator::run() {
  Words start = model_.initial();
  outcome_.packed_bytes = (start.size() + 1) * sizeof start[0];
  start.push_back(monitor_->initial());
  go(start, 0, kNobody);
  while (!levels_.empty() && !is_over()) {
    const auto first = levels_.begin();
    const uint64_t steps = first->first;
    Level level = std::move(first->second);
    levels_.erase(first);
    for (; recorded_steps_ < steps; ++recorded_steps_) {
      ++recorded_cut_[recorded_thread_[recorded_steps_]];
    }
    ++outcome_.levels;
    outcome_.widest = std::max<uint64_t>(outcome_.widest, level.size());
    narrow(level);
    // In the order they were found, so that every machine finds the same run.
    std::vector<std::pair<uint32_t, const Words*>> cuts;
    for (const auto& [cut, origin] : level) cuts.emplace_back(origin, &cut);
    std::ranges::sort(cuts);
    for (const auto& [origin, cut] : cuts) {
      if (is_over()) break;
      expand(*cut, origin);
    }
    stopped_ = stopped_ || !limits_.goes_on();
  }
  if (!found_ && (!levels_.empty() || is_over())) outcome_.left_out = true;
  using Answer = RunsOutcome::Answer;
  if (found_ && !wants_some_) {
    outcome_.answer = Answer::violated;
    std::vector<Position> steps;
    Words cut = model_.initial();
    Monitor::State state = monitor_->initial();
    if (violating_.thread == kNobody) {
      settle(cut, state, &steps);
    } else {
      origins_.push_back(violating_);
      steps = steps_to(static_cast<uint32_t>(origins_.size() - 1));
    }
    outcome_.run = model_.completed(steps, outcome_.at_end);
  } else if (found_) {
    outcome_.answer = Answer::satisfied;
  } else if (outcome_.left_out) {
    outcome_.answer = Answer::unknown;
  } else {
    outcome_.answer = wants_some_ ? Answer::violated : Answer::satisfied;
  }
  return std::move(outcome_);
}

}  // namespace

RunsOutcome check_all_runs(const RunModel& model, const property_language::Property& property,
                           const Letters& letters, const RunLimits& limits) {
  return Generator(model, property, letters, limits).run();
}

RecordedOutcome check_recorded_run(const judge::TraceFacts& facts,
                                   const property_language::Property& property,
                                   const Letters& letters) {
  const auto monitor = property.monitor();
  Monitor::State state = monitor->initial();
  for (Position p = 0; p < facts.size(); ++p) {
    if (letters[p] == kNoLetter) continue;
    state = monitor->next(state, letters[p], static_cast<uint32_t>(facts.thread_index(p)));
    if (monitor->verdict(state) == Verdict::violated) return {true, false, p + 1};
  }
  if (property.whole && !monitor->may_end(state)) {
    return {true, true, static_cast<Position>(facts.size())};
  }
  return {};
}

}  // namespace foretell::analysis

#include "analysis/determinism/exact/read_views.h"

#include <algorithm>

#include "order/machine.h"
#include "order/reordering.h"

namespace foretell {

ReadViews::ReadViews(const Judge& judge) : judge_(judge), facts_(judge.facts()) {
  needs_.resize(facts_.thread_count());
  for (uint32_t i = 0; i < facts_.location_count(); ++i) {
    first_run_.push_back(static_cast<uint32_t>(runs_.size()));
    const auto begin = static_cast<ptrdiff_t>(writes_.size());
    const std::span<const Position> writes = facts_.writes_of(LocationId{i});
    writes_.insert(writes_.end(), writes.begin(), writes.end());
    std::ranges::sort(writes_.begin() + begin, writes_.end(), {},
                      [&](Position p) { return std::pair(facts_.thread_index(p), p); });
    for (size_t at = static_cast<size_t>(begin); at < writes_.size(); ++at) {
      const auto thread = static_cast<uint32_t>(facts_.thread_index(writes_[at]));
      const bool same = runs_.size() > first_run_.back() && runs_.back().thread == thread;
      if (!same) runs_.push_back({thread, static_cast<uint32_t>(at), 0});
      runs_.back().end = static_cast<uint32_t>(at + 1);
    }
  }
  first_run_.push_back(static_cast<uint32_t>(runs_.size()));
}

// The thread has to get there, and the memory must be what it was; not the write it read.
void ReadViews::find_needs(Position read) {
  const Event& e = facts_.event(read);
  const size_t thread = to_index(e.thread);
  std::ranges::fill(needs_, 0);
  auto add = [&](Position p) {
    if (p == kNoPosition) return;
    uint32_t& steps = needs_[facts_.thread_index(p)];
    steps = std::max(steps, facts_.step[p] + 1);
    facts_.needs.raise(p, needs_);
  };
  const uint32_t step = facts_.step[read];
  add(step > 0 ? facts_.events_of[thread][step - 1] : facts_.fork_of[thread]);
  add(facts_.alloc_of[to_index(e.location())]);
  if (facts_.frees_before[read] > 0) {
    add(facts_.frees_of.at(e.location())[facts_.frees_before[read] - 1]);
  }
  horizon_ = 0;
  for (size_t t = 0; t < needs_.size(); ++t) {
    if (needs_[t] > 0) horizon_ = std::max(horizon_, facts_.events_of[t][needs_[t] - 1] + 1);
  }
}

bool ReadViews::is_overwritten(Position write) const {
  const size_t thread = facts_.thread_index(write);
  return std::ranges::any_of(needed_, [&](Position later) {
    return later != write && facts_.needs.at(later, thread) > facts_.step[write];
  });
}

void ReadViews::find_candidates(Position read) {
  find_needs(read);
  needed_.clear();
  open_.clear();
  decided_.clear();
  const Event& e = facts_.event(read);
  const size_t thread = to_index(e.thread), location = to_index(e.location());
  const Position recorded = facts_.partner[read];
  auto step_of = [&](Position p) { return facts_.step[p]; };
  const std::span runs = std::span(runs_).subspan(first_run_[location],
                                                  first_run_[location + 1] - first_run_[location]);
  uint64_t writers = recorded == kNoPosition ? 0 : 1;  // the initial value, if it was not seen
  for (const Run& run : runs) {
    const std::span writes = std::span(writes_).subspan(run.begin, run.end - run.begin);
    writers += writes.size();
    const auto beyond = std::ranges::lower_bound(writes, needs_[run.thread], {}, step_of);
    if (beyond != writes.begin()) needed_.push_back(*std::prev(beyond));
    if (run.thread == thread) continue;
    // Along a thread events need ever more.
    const auto end = std::partition_point(beyond, writes.end(), [&](Position c) {
      return facts_.needs.at(c, thread) <= facts_.step[read];
    });
    open_.insert(open_.end(), beyond, end);
  }
  for (Position c : needed_) {
    if (!is_overwritten(c)) open_.push_back(c);
  }
  if (needed_.empty()) open_.push_back(kNoPosition);
  std::erase(open_, recorded);
  std::ranges::sort(open_);
  if (recorded != kNoPosition) --writers;
  if (is_write(e.kind)) --writers;  // no read-modify-write sees itself
  ++counts_.reads;
  counts_.triplets += writers;
  counts_.ordered += writers - open_.size();
}

void ReadViews::confirm_by_prefix(Position read) {
  if (facts_.sound_until < read) return;
  const std::span<const Position> writes = facts_.writes_of(facts_.event(read).location());
  std::erase_if(open_, [&](Position c) {
    if (c != kNoPosition && c > read) return false;
    const auto next = c == kNoPosition ? writes.begin() : std::ranges::upper_bound(writes, c);
    const Position until = next == writes.end() ? read : std::min(*next, read);
    if (until < horizon_) return false;
    decided_.push_back({c, JudgeOutcome::witness});
    ++counts_.prefix;
    return true;
  });
}

ReadView ReadViews::decide_open(Position read) {
  confirm_by_prefix(read);
  // The writes after the read are at the end; the initial value, kNoPosition, is the very last.
  Position latest = kNoPosition;
  size_t left = 0;
  for (Position c : open_) {
    if (c == kNoPosition || c < read) continue;
    latest = c;
    ++left;
  }
  if (left > 0) {
    run_on(read, latest, [&](Position write) {
      if (std::erase(open_, write) == 0) return true;
      decided_.push_back({write, JudgeOutcome::witness});
      ++counts_.run;
      return --left > 0;
    });
  }
  ReadView view{read, facts_.partner[read], std::move(decided_)};
  for (Position writer : open_) {
    const JudgeOutcome outcome = judge_.decide(Goal::read_given(read, writer)).outcome;
    ++(outcome == JudgeOutcome::witness      ? counts_.judged_possible
       : outcome == JudgeOutcome::impossible ? counts_.judged_impossible
                                             : counts_.gave_up);
    if (outcome != JudgeOutcome::impossible) view.others.push_back({writer, outcome});
  }
  std::ranges::sort(view.others, {}, &SeenWrite::writer);
  return view;
}

// `on_write` is given each write of the location, and says whether to go on.
void ReadViews::run_on(Position read, Position until,
                       const std::function<bool(Position)>& on_write) {
  if (facts_.sound_until < read) return;
  const size_t thread = facts_.thread_index(read);
  const LocationId location = facts_.event(read).location();
  Machine machine(facts_, read);
  std::vector<bool> stuck(facts_.thread_count());
  stuck[thread] = true;
  const Position last = until - read > kMostRunSteps ? read + kMostRunSteps : until;
  for (Position p = read + 1; p <= last; ++p) {
    const size_t t = facts_.thread_index(p);
    if (stuck[t]) continue;
    ++counts_.run_steps;
    const Event& e = facts_.event(p);
    const bool is_here = is_access(e.kind) && e.location() == location;
    // Who reads what is freed under it reads something else.
    const bool frees = is_here && e.kind == EventKind::Free;
    if (frees || !machine.enabled(p)) {
      stuck[t] = true;
      continue;
    }
    machine.apply(p);
    if (is_here && is_write(e.kind) && !on_write(p)) return;
  }
}

std::optional<Reordering> ReadViews::witness(Position read, Position writer) {
  const Goal goal = Goal::read_given(read, writer);
  auto checked = [&](Reordering order) -> std::optional<Reordering> {
    if (check_witness(facts_, goal, order)) return {};
    return judge_.minimised(goal, std::move(order));
  };
  Judgement judgement = judge_.decide(goal);
  if (judgement.outcome == JudgeOutcome::witness) {
    return judge_.minimised(goal, std::move(judgement.witness));
  }
  if (writer == kNoPosition || writer < read) {
    find_needs(read);
    const Position from = std::max(horizon_, writer == kNoPosition ? 0 : writer + 1);
    // A schedule cannot take an access apart.
    const bool inside = from > 0 && from < facts_.size() &&
                        facts_.event(from).index == facts_.event(from - 1).index;
    return inside ? std::nullopt : checked({from, {read}});
  }
  Reordering order{read, {}};
  const size_t thread = facts_.thread_index(read);
  Machine machine(facts_, read);
  std::vector<bool> stuck(facts_.thread_count());
  stuck[thread] = true;
  for (Position p = read + 1; p <= writer; ++p) {
    const size_t t = facts_.thread_index(p);
    if (stuck[t]) continue;
    if (!machine.enabled(p)) {
      stuck[t] = true;
      continue;
    }
    machine.apply(p);
    order.steps.push_back(p);
  }
  order.steps.push_back(read);
  return checked(std::move(order));
}

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/exact/read_views.h"

#include <algorithm>
#include <utility>

#include "judge/machine.h"
#include "judge/reordering.h"

namespace foretell::analysis {

ViewCounts& ViewCounts::operator+=(const ViewCounts& more) {
  reads += more.reads;
  triplets += more.triplets;
  ordered += more.ordered;
  prefix += more.prefix;
  run += more.run;
  judged_possible += more.judged_possible;
  judged_impossible += more.judged_impossible;
  gave_up += more.gave_up;
  not_judged += more.not_judged;
  run_steps += more.run_steps;
  judged_events += more.judged_events;
  return *this;
}

ReadViews::ReadViews(const judge::Judge& judge, std::shared_ptr<const WritesByThread> writes,
                     uint64_t pot)
    : judge_(judge), facts_(judge.facts()), writes_(std::move(writes)), pot_(pot) {
  needs_.resize(facts_.thread_count());
}

// The thread has to get there, and the memory must be what it was; not the write it read.
void ReadViews::find_needs(judge::Position read) {
  const trace::Event& e = facts_.event(read);
  const size_t thread = to_index(e.thread);
  const uint32_t step = facts_.step[read], frees = facts_.frees_before[read];
  needs_directly_ = {step > 0 ? facts_.events_of[thread][step - 1] : facts_.fork_of[thread],
                     facts_.alloc_of[to_index(e.location())],
                     frees > 0 ? facts_.frees_of.at(e.location())[frees - 1] : judge::kNoPosition};
}

uint32_t ReadViews::needed_of(size_t thread) const {
  uint32_t steps = 0;
  for (judge::Position p : needs_directly_) {
    if (p == judge::kNoPosition) continue;
    steps = std::max(steps, facts_.needs.at(p, thread));
    if (facts_.thread_index(p) == thread) steps = std::max(steps, facts_.step[p] + 1);
  }
  return steps;
}

void ReadViews::find_all_needs() {
  std::ranges::fill(needs_, 0);
  for (judge::Position p : needs_directly_) {
    if (p == judge::kNoPosition) continue;
    uint32_t& steps = needs_[facts_.thread_index(p)];
    steps = std::max(steps, facts_.step[p] + 1);
    facts_.needs.raise(p, needs_);
  }
  horizon_ = 0;
  for (size_t t = 0; t < needs_.size(); ++t) {
    if (needs_[t] > 0) horizon_ = std::max(horizon_, facts_.events_of[t][needs_[t] - 1] + 1);
  }
}

bool ReadViews::comes_after_all_writes(judge::Position read) const {
  const judge::Position recorded = facts_.partner[read];
  if (recorded == judge::kNoPosition || !is_needed(recorded)) return false;
  const size_t thread = facts_.thread_index(read);
  auto step_of = [&](judge::Position p) { return facts_.step[p]; };
  for (const WritesByThread::Run& run : writes_->runs(facts_.event(read).location())) {
    if (run.thread == thread) continue;
    const std::span<const judge::Position> writes = writes_->of(run);
    const auto beyond = std::ranges::lower_bound(writes, needed_of(run.thread), {}, step_of);
    // Along a thread events need ever more.
    if (beyond != writes.end() && facts_.needs.at(*beyond, thread) <= facts_.step[read])
      return false;
  }
  return true;
}

void ReadViews::find_candidates(judge::Position read) {
  find_needs(read);
  needed_.clear();
  open_.clear();
  decided_.clear();
  const trace::Event& e = facts_.event(read);
  const size_t thread = to_index(e.thread);
  const judge::Position recorded = facts_.partner[read];
  auto step_of = [&](judge::Position p) { return facts_.step[p]; };
  uint64_t writers =
      recorded == judge::kNoPosition ? 0 : 1;  // the initial value, if it was not seen
  for (const WritesByThread::Run& run : writes_->runs(e.location())) {
    const std::span<const judge::Position> writes = writes_->of(run);
    writers += writes.size();
    const auto beyond = std::ranges::lower_bound(writes, needed_of(run.thread), {}, step_of);
    if (beyond != writes.begin()) needed_.push_back(*std::prev(beyond));
    if (run.thread == thread) continue;
    // Along a thread events need ever more.
    const auto end = std::partition_point(beyond, writes.end(), [&](judge::Position c) {
      return facts_.needs.at(c, thread) <= facts_.step[read];
    });
    open_.insert(open_.end(), beyond, end);
  }
  // The latest first: what a later one needs is overwritten, and so is what that needs.
  std::ranges::sort(needed_, std::ranges::greater());
  const size_t not_needed = open_.size();
  for (judge::Position c : needed_) {
    const size_t of_c = facts_.thread_index(c);
    const bool is_overwritten = std::ranges::any_of(
        std::span(open_).subspan(not_needed),
        [&](judge::Position later) { return facts_.needs.at(later, of_c) > facts_.step[c]; });
    if (!is_overwritten) open_.push_back(c);
  }
  if (needed_.empty()) open_.push_back(judge::kNoPosition);
  std::erase(open_, recorded);
  std::ranges::sort(open_);
  if (recorded != judge::kNoPosition) --writers;
  if (is_write(e.kind)) --writers;  // no read-modify-write sees itself
  ++counts_.reads;
  counts_.triplets += writers;
  counts_.ordered += writers - open_.size();
}

void ReadViews::confirm_by_prefix(judge::Position read) {
  if (facts_.sound_until < read) return;
  const std::span<const judge::Position> writes = facts_.writes_of(facts_.event(read).location());
  std::erase_if(open_, [&](judge::Position c) {
    if (c != judge::kNoPosition && c > read) return false;
    const auto next =
        c == judge::kNoPosition ? writes.begin() : std::ranges::upper_bound(writes, c);
    const judge::Position until = next == writes.end() ? read : std::min(*next, read);
    if (until < horizon_) return false;
    decided_.push_back({c, judge::JudgeOutcome::witness});
    ++counts_.prefix;
    return true;
  });
}

// Reads of the same sections keep their writers, and while a lock is held nobody else writes under
// it: a write x under that lock has to come before the writer of such a read, or after the end. If
// x needs that writer, nothing that needs x is seen.
void ReadViews::refute_by_sections(judge::Position read) {
  const judge::Position begin = begin_of_sections(read);
  if (begin == read || open_.empty()) return;
  const size_t thread = facts_.thread_index(read);
  const std::vector<judge::Position> sections =
      facts_.locks.open_sections(thread, facts_.step[read]);
  auto is_kept_out = [&](judge::Position x, judge::Position since) {
    return std::ranges::any_of(sections, [&](judge::Position mine) {
      if (mine > since) return false;
      const judge::Position theirs = facts_.locks.open_section(
          facts_.event(mine).lock(), facts_.thread_index(x), facts_.step[x]);
      return theirs != judge::kNoPosition &&
             excludes(facts_.event(mine).kind, facts_.event(theirs).kind);
    });
  };
  size_t refuted = 0;
  for (uint32_t step = facts_.step[begin]; step < facts_.step[read]; ++step) {
    const judge::Position q = facts_.events_of[thread][step];
    const trace::Event& e = facts_.event(q);
    if (!is_read(e.kind) || e.is_ambiguous()) continue;
    const judge::Position writer = facts_.partner[q];
    if (writer != judge::kNoPosition && writer > begin) continue;
    for (const WritesByThread::Run& run : writes_->runs(e.location())) {
      if (run.thread == thread) continue;
      const std::span<const judge::Position> writes = writes_->of(run);
      const auto x = std::ranges::partition_point(writes, [&](judge::Position p) {
        if (writer == judge::kNoPosition) return false;
        const size_t of_writer = facts_.thread_index(writer);
        return of_writer == run.thread ? facts_.step[p] <= facts_.step[writer]
                                       : facts_.needs.at(p, of_writer) <= facts_.step[writer];
      });
      if (x == writes.end() || !is_kept_out(*x, q)) continue;
      refuted += std::erase_if(open_, [&](judge::Position c) {
        if (c == judge::kNoPosition) return false;
        const uint32_t needed = facts_.thread_index(c) == run.thread
                                    ? facts_.step[c] + 1
                                    : facts_.needs.at(c, run.thread);
        return needed > facts_.step[*x];
      });
      if (open_.empty()) break;
    }
  }
  counts_.ordered += refuted;
}

ReadView ReadViews::decide_open(judge::Position read) {
  if (open_.empty()) return {read, facts_.partner[read], {}};
  find_all_needs();
  refute_by_sections(read);
  confirm_by_prefix(read);
  const judge::Position begin = begin_of_sections(read);
  confirm_by_run(read, begin);
  if (begin != read) confirm_by_run(read, read);
  ReadView view{read, facts_.partner[read], std::move(decided_)};
  std::ranges::sort(open_, {}, [&](judge::Position writer) {
    const judge::Position from = writer == judge::kNoPosition ? 0 : writer;
    return std::pair(std::max(from, read) - std::min(from, read), writer);
  });
  effort_ = kEffortPerRead;
  for (judge::Position writer : open_) {
    const judge::JudgeOutcome outcome = judge_one(read, writer);
    if (outcome != judge::JudgeOutcome::impossible) view.others.push_back({writer, outcome});
  }
  std::ranges::sort(view.others, {}, &SeenWrite::writer);
  return view;
}

// Events from the earlier one of the two on that have to happen, as far as clocks know.
uint64_t ReadViews::effort_of(judge::Position read, judge::Position writer) const {
  const std::vector<uint32_t> before =
      facts_.steps_before(writer == judge::kNoPosition ? 0 : std::min(read, writer));
  uint64_t events = 0;
  for (size_t t = 0; t < before.size(); ++t) {
    uint32_t needed = needs_[t];
    if (writer != judge::kNoPosition) {
      const bool is_its_own = t == facts_.thread_index(writer);
      needed = std::max(needed, is_its_own ? facts_.step[writer] + 1 : facts_.needs.at(writer, t));
    }
    events += needed > before[t] ? needed - before[t] : 0;
  }
  return events;
}

judge::JudgeOutcome ReadViews::judge_one(judge::Position read, judge::Position writer) {
  auto spend = [&](uint64_t effort) {
    const uint64_t own = std::min(effort, effort_), shared = std::min(effort - own, pot_);
    effort_ -= own;
    pot_ -= shared;
    return own + shared == effort;
  };
  const uint64_t effort = effort_of(read, writer);
  if (!spend(effort)) {
    ++counts_.not_judged;
    return judge::JudgeOutcome::gave_up;
  }
  counts_.judged_events += effort;
  const judge::JudgeOutcome outcome = judge_.decide(judge::Goal::read_given(read, writer)).outcome;
  ++(outcome == judge::JudgeOutcome::witness      ? counts_.judged_possible
     : outcome == judge::JudgeOutcome::impossible ? counts_.judged_impossible
                                                  : counts_.gave_up);
  if (outcome == judge::JudgeOutcome::gave_up) spend(kGivingUp);
  return outcome;
}

// Where the outermost section begins that the read is in, or the read. A schedule cannot take an
// access apart, so no run starts in the middle of one.
judge::Position ReadViews::begin_of_sections(judge::Position read) const {
  const size_t thread = facts_.thread_index(read);
  judge::Position begin = read;
  for (judge::Position section : facts_.locks.open_sections(thread, facts_.step[read])) {
    begin = std::min(begin, section);
  }
  const bool is_inside = begin > 0 && facts_.event(begin).index == facts_.event(begin - 1).index;
  if (is_inside || facts_.step[read] - facts_.step[begin] > kMostOfSections) return read;
  return begin;
}

void ReadViews::confirm_by_run(judge::Position read, judge::Position start) {
  // Those that the run can come by, in trace order; the initial value, kNoPosition, is behind them.
  const std::span<const judge::Position> asked = std::ranges::subrange(
      std::ranges::upper_bound(open_, start), std::ranges::lower_bound(open_, judge::kNoPosition));
  if (asked.empty()) return;
  const size_t before = decided_.size();
  run_from(
      read, start, [&](judge::Position write) { return std::ranges::binary_search(asked, write); },
      [&](judge::Position write) {
        decided_.push_back({write, judge::JudgeOutcome::witness});
        return decided_.size() - before < asked.size();
      });
  counts_.run += decided_.size() - before;
  const std::span<const SeenWrite> seen = std::span(decided_).subspan(before);
  std::erase_if(open_, [&](judge::Position c) {
    return std::ranges::binary_search(seen, c, {}, &SeenWrite::writer);
  });
}

void ReadViews::run_from(judge::Position read, judge::Position start,
                         const std::function<bool(judge::Position)>& is_asked,
                         const std::function<bool(judge::Position)>& on_seen) {
  ran_.clear();
  if (facts_.sound_until < read) return;
  const size_t thread = facts_.thread_index(read);
  const LocationId location = facts_.event(read).location();
  const std::span<const judge::Position> way =
      std::span(facts_.events_of[thread])
          .subspan(facts_.step[start], facts_.step[read] - facts_.step[start]);
  judge::Machine machine(facts_, start);
  std::vector<judge::Machine::Effect> effects;
  // Whether the read's thread can go on to it now and sees that write there.
  auto sees = [&](judge::Position write) {
    effects.clear();
    for (judge::Position p : way) {
      if (!machine.enabled(p)) break;
      effects.push_back(machine.apply(p));
    }
    const bool seen = effects.size() == way.size() && machine.last_writer(location) == write &&
                      !machine.why_no_read(read);
    for (size_t i = effects.size(); i-- > 0;) machine.undo(way[i], effects[i]);
    return seen;
  };
  std::vector<bool> stuck(facts_.thread_count());
  stuck[thread] = true;
  size_t running = 0;
  for (size_t t = 0; t < stuck.size(); ++t) running += !stuck[t];
  judge::Position last_seen = start, candidate = judge::kNoPosition;
  for (judge::Position p = start; p < facts_.size() && p - last_seen <= kMostRunSteps; ++p) {
    const size_t t = facts_.thread_index(p);
    if (stuck[t]) continue;
    ++counts_.run_steps;
    const trace::Event& e = facts_.event(p);
    const bool is_here = is_access(e.kind) && e.location() == location;
    // Who reads what is freed under it reads something else.
    const bool frees = is_here && e.kind == trace::EventKind::Free;
    if (frees || !machine.enabled(p)) {
      stuck[t] = true;
      if (--running == 0) return;
      continue;
    }
    machine.apply(p);
    ran_.push_back(p);
    const bool writes = is_here && is_write(e.kind);
    if (writes) candidate = is_asked(p) ? p : judge::kNoPosition;
    // Mostly it is seen when its thread lets go of the lock that the read wants.
    if (candidate == judge::kNoPosition || facts_.thread_index(candidate) != t) continue;
    if ((!writes && !ends_section(e.kind)) || !sees(candidate)) continue;
    last_seen = p;
    if (!on_seen(std::exchange(candidate, judge::kNoPosition))) return;
  }
}

std::optional<judge::Reordering> ReadViews::witness(judge::Position read, judge::Position writer) {
  const judge::Goal goal = judge::Goal::read_given(read, writer);
  auto checked = [&](judge::Reordering order) -> std::optional<judge::Reordering> {
    if (check_witness(facts_, goal, order)) return {};
    return judge_.minimized(goal, std::move(order));
  };
  judge::Judgement judgement = judge_.decide(goal);
  if (judgement.outcome == judge::JudgeOutcome::witness) {
    return judge_.minimized(goal, std::move(judgement.witness));
  }
  if (writer == judge::kNoPosition || writer < read) {
    find_needs(read);
    find_all_needs();
    const judge::Position from = std::max(horizon_, writer == judge::kNoPosition ? 0 : writer + 1);
    // A schedule cannot take an access apart.
    const bool inside = from > 0 && from < facts_.size() &&
                        facts_.event(from).index == facts_.event(from - 1).index;
    if (!inside) {
      if (std::optional<judge::Reordering> order = checked({from, {read}})) return order;
    }
  }
  for (judge::Position start : {begin_of_sections(read), read}) {
    bool found = false;
    run_from(
        read, start, [&](judge::Position write) { return write == writer; },
        [&](judge::Position) { return !(found = true); });
    if (!found) continue;
    judge::Reordering order{start, ran_};
    const std::vector<judge::Position>& mine = facts_.events_of[facts_.thread_index(read)];
    order.steps.insert(order.steps.end(), mine.begin() + facts_.step[start],
                       mine.begin() + facts_.step[read]);
    order.steps.push_back(read);
    return checked(std::move(order));
  }
  return std::nullopt;
}

}  // namespace foretell::analysis

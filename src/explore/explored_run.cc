// SPDX-License-Identifier: Apache-2.0

#include "explore/explored_run.h"

#include <algorithm>
#include <set>

#include "analysis/determinism/exact/nondeterminism.h"
#include "judge/machine.h"
#include "pipeline/witness_steps.h"
#include "trace/stream.h"
#include "trace/waiting.h"

namespace foretell::explore {
namespace {

using judge::JudgeOutcome;
using judge::kNoPosition;
using judge::Position;
using trace::EventKind;

}  // namespace

Target Target::of(std::vector<History> ends) {
  std::ranges::sort(ends);
  Target target{std::move(ends)};
  for (const History end : target.ends) target.key = mixed(target.key, end);
  return target;
}

Result<std::unique_ptr<ExploredRun>> ExploredRun::of(const launch::OneRun& run) {
  FORETELL_TRY(reader, run.trace.open());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  FORETELL_TRY(trace, stream.load());
  return of(std::move(trace), run.steps);
}

ExploredRun::ExploredRun(trace::Trace trace, schedule::ThreadColumn steps)
    : trace_(std::move(trace)), steps_(std::move(steps)), judge_(trace_), histories_(facts()) {}

bool ExploredRun::contains(const Target& target) const {
  return std::ranges::all_of(
      target.ends, [&](History end) { return histories_.at(end) != kNoPosition; });
}

void ExploredRun::find_views() {
  if (has_views_) return;
  has_views_ = true;
  analysis::ReadViews views(judge_);
  for (Position p = 0; p < facts().size(); ++p) {
    const trace::Event& e = facts().event(p);
    if (!is_read(e.kind) || e.is_ambiguous()) continue;
    analysis::ReadView view = views.of(p);
    if (!view.others.empty()) views_.push_back(std::move(view));
  }
}

// One question: what stands next to this target in this run?
class ExploredRun::Search {
 public:
  Search(ExploredRun& run, const Target& target, const Known& known)
      : run_(run),
        facts_(run.facts()),
        histories_(run.histories_),
        known_(known),
        values_(facts_),
        limits_(facts_.thread_count()) {
    for (const History end : target.ends) raise(limits_, histories_.at(end));
  }

  Neighbors run() {
    for (const analysis::ReadView& view : run_.views_) {
      if (is_in(limits_, view.read)) continue;
      for (const analysis::SeenWrite& other : view.others) look_at(view, other.writer);
    }
    return std::move(found_);
  }

 private:
  using Limits = std::vector<uint32_t>;

  bool is_in(const Limits& limits, Position p) const {
    return facts_.step[p] < limits[facts_.thread_index(p)];
  }

  // Adds `p`, whole, and what it needs.
  void raise(Limits& limits, Position p) const {
    if (p == kNoPosition || is_in(limits, p)) return;
    const auto [first, end] = pieces_of(facts_, p);
    for (Position piece = first; piece < end; ++piece) facts_.needs.raise(piece, limits);
    uint32_t& mine = limits[facts_.thread_index(p)];
    mine = std::max(mine, facts_.step[end - 1] + 1);
  }

  // What a run must have done for the read to return that write next; nothing if it cannot.
  std::optional<Limits> needed(Position read, Position writer) const {
    const Position first = pieces_of(facts_, read).first;
    const size_t thread = facts_.thread_index(read);
    const uint32_t step = facts_.step[first];
    Limits limits = limits_;
    raise(limits, step > 0 ? facts_.events_of[thread][step - 1] : facts_.fork_of[thread]);
    raise(limits, facts_.alloc_of[to_index(facts_.event(read).location())]);
    raise(limits, writer);
    if (limits[thread] > step) return {};
    return limits;
  }

  Target target_of(const Limits& limits, Position read, Position writer) const {
    const auto [first, end] = pieces_of(facts_, read);
    std::vector<Position> writers(facts_.partner.begin() + first, facts_.partner.begin() + end);
    writers[read - first] = writer;
    return target_of(limits, read, histories_.of_read(first, writers));
  }

  Target target_of(const Limits& limits, Position read, History of_read) const {
    std::vector<History> ends{of_read};
    for (size_t t = 0; t < limits.size(); ++t) {
      if (limits[t] == 0 || t == facts_.thread_index(read)) continue;
      ends.push_back(histories_.of(facts_.events_of[t][limits[t] - 1]));
    }
    return Target::of(std::move(ends));
  }

  void look_at(const analysis::ReadView& view, Position writer) {
    const Position read = view.read;
    const std::optional<Limits> limits = needed(read, writer);
    if (!limits) return;
    Alternative alternative{.target = target_of(*limits, read, writer)};
    const Target& target = alternative.target;
    if (known_.is_tried(target) || run_.impossible_.contains(target.key)) return;
    describe(view, writer, alternative);
    const auto [first, end] = pieces_of(facts_, read);
    const bool is_whole = end - first == 1;
    if (!is_whole || !known_.is_contained(target)) {
      if (!decide(*limits, read, writer, alternative)) return;
    }
    found_.alternatives.push_back(std::move(alternative));
  }

  void describe(const analysis::ReadView& view, Position writer, Alternative& alternative) const {
    const trace::Event& e = facts_.event(view.read);
    const auto value = values_.from(e.location(), writer);
    const auto recorded = analysis::ReadValues::returned(e);
    alternative.same_value = value && recorded && *value == *recorded;
    const uint64_t what = value ? mixed(1, *value)
                          : writer == kNoPosition
                              ? 2
                              : mixed(3, to_index(facts_.event(writer).site));
    alternative.sort = mixed(to_index(e.site) + 1, what);
  }

  // Puts a schedule to it, or says that there is none.
  bool decide(const Limits& limits, Position read, Position writer, Alternative& alternative) {
    judge::Goal goal = judge::Goal::read_given(read, writer);
    for (size_t t = 0; t < limits.size(); ++t) {
      if (limits[t] > 0) goal.contained.push_back(facts_.events_of[t][limits[t] - 1]);
    }
    judge::Judgement judgement = run_.judge_.decide(goal);
    if (judgement.outcome == JudgeOutcome::gave_up) ++found_.gave_up;
    if (judgement.outcome != JudgeOutcome::witness) {
      if (judgement.outcome == JudgeOutcome::impossible) ++found_.impossible;
      run_.impossible_.insert(alternative.target.key);
      return false;
    }
    const judge::Reordering witness = run_.judge_.minimized(goal, std::move(judgement.witness));
    const std::vector<EventIndex> steps =
        pipeline::input_steps(run_.trace_, facts_, judgement.goal, witness);
    const uint64_t prefix_end = witness.recorded < facts_.size()
                                    ? to_index(facts_.event(witness.recorded).index)
                                    : run_.steps_.steps();
    alternative.schedule = run_.steps_.of_witness(prefix_end, steps, 1);
    const auto [first, end] = pieces_of(facts_, read);
    if (end - first > 1) {
      alternative.target = target_of(limits, read, read_at_end(witness, first, end));
    }
    return true;
  }

  // The history of a read, of which the last step of the witness is a piece.
  History read_at_end(const judge::Reordering& witness, Position first, Position end) const {
    judge::Machine machine(facts_, witness.recorded);
    for (Position p : std::span(witness.steps).first(witness.steps.size() - 1)) machine.apply(p);
    std::vector<Position> writers;
    for (Position p = first; p < end; ++p) {
      writers.push_back(machine.last_writer(facts_.event(p).location()));
    }
    return histories_.of_read(first, writers);
  }

  ExploredRun& run_;
  const judge::TraceFacts& facts_;
  const Histories& histories_;
  const Known& known_;
  const analysis::ReadValues values_;
  Limits limits_;  // by thread: how much of it the target has
  Neighbors found_;
};

Neighbors ExploredRun::next_to(const Target& target, const Known& known) {
  const std::lock_guard guard(mutex_);
  find_views();
  return Search(*this, target, known).run();
}

std::vector<std::string> ExploredRun::not_varied() const {
  std::set<std::string> kinds;
  for (Position p = 0; p < facts().size(); ++p) {
    const trace::Event& e = facts().event(p);
    if (e.is_ambiguous() && is_read(e.kind)) kinds.insert("reads whose write is not known");
    if (is_limited(e)) kinds.insert("tries and waits with a time limit");
    switch (e.kind) {
      case EventKind::TryFail:
      case EventKind::TryFailShared:
        kinds.insert("tries and waits with a time limit");
        break;
      case EventKind::WaitBegin:
      case EventKind::WaitEnd:
      case EventKind::NotifyOne:
      case EventKind::NotifyAll:
        kinds.insert("which notify wakes which wait");
        break;
      case EventKind::SemaphorePost:
      case EventKind::SemaphoreWait:
        kinds.insert("which post serves which wait for a semaphore");
        break;
      case EventKind::BarrierEnter:
      case EventKind::BarrierExit:
        kinds.insert("which threads pass a barrier together");
        break;
      default:
        break;
    }
    const auto [first, end] = pieces_of(facts(), p);
    if (is_read(e.kind) && end - first > 1) {
      kinds.insert("reads of bytes that are also accessed one by one");
    }
  }
  return {kinds.begin(), kinds.end()};
}

}  // namespace foretell::explore

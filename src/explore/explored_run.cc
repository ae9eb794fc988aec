// SPDX-License-Identifier: Apache-2.0

#include "explore/explored_run.h"

#include <algorithm>
#include <set>

#include "analysis/determinism/exact/nondeterminism.h"
#include "pipeline/witness_steps.h"
#include "trace/lock_sections.h"
#include "trace/stream.h"
#include "trace/waiting.h"

namespace foretell::explore {
namespace {

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
  // Events in memory share their tables with all their readers, who want them, too.
  trace::TraceTables tables = trace.tables;
  stream.give_back({.tables = std::move(trace.tables), .events = {}, .cells = {}, .folded = {}});
  trace.tables = std::move(tables);
  return of(std::move(trace), run.steps);
}

ExploredRun::ExploredRun(trace::Trace trace, schedule::ThreadColumn steps)
    : trace_(std::move(trace)), steps_(std::move(steps)), facts_(trace_), histories_(facts_) {
  find_clocks();
}

// Like judge/need_clocks.h, and with the sections of a lock in their order.
void ExploredRun::find_clocks() {
  const size_t threads = facts_.thread_count();
  clocks_.resize(facts_.size() * threads);
  for (Position p = 0; p < facts_.size(); ++p) {
    const std::span mine = std::span(clocks_).subspan(p * threads, threads);
    auto need = [&](Position q) {
      if (q == kNoPosition || q == p) return;
      if (facts_.event(q).index != facts_.event(p).index) q = pieces_of(facts_, q).second - 1;
      for (size_t t = 0; t < threads; ++t) mine[t] = std::max(mine[t], needed(q, t));
      uint32_t& its = mine[facts_.thread_index(q)];
      its = std::max(its, facts_.step[q] + 1);
    };
    const size_t thread = facts_.thread_index(p);
    if (facts_.step[p] > 0) need(facts_.events_of[thread][facts_.step[p] - 1]);
    facts_.for_each_need(p, need);
    need(histories_.lock_predecessors()[p]);
    if (ends_section(facts_.event(p).kind)) releases_[facts_.event(p).lock()].push_back(p);
  }
}

bool ExploredRun::contains(const Target& target) const {
  return std::ranges::all_of(target.ends,
                             [&](History end) { return histories_.at(end) != kNoPosition; });
}

// One question: what stands next to this target in this run?
class ExploredRun::Search {
 public:
  Search(ExploredRun& run, const Target& target, const Known& known)
      : run_(run),
        facts_(run.facts_),
        histories_(run.histories_),
        known_(known),
        values_(facts_),
        limits_(facts_.thread_count()) {
    for (const History end : target.ends) raise(limits_, histories_.at(end));
  }

  Neighbors run(const std::function<bool()>& is_over) {
    for (Position p = 0, end = 0; p < facts_.size(); p = end) {
      if (is_over && is_over()) break;
      end = pieces_of(facts_, p).second;
      if (is_in(limits_, p)) continue;
      const trace::Event& e = facts_.event(p);
      if (is_read(e.kind)) vary_read(p, end);
      if (e.kind == EventKind::Acquire) vary_acquire(p);
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
    const Position last = pieces_of(facts_, p).second - 1;
    for (size_t t = 0; t < limits.size(); ++t) {
      limits[t] = std::max(limits[t], run_.needed(last, t));
    }
    uint32_t& mine = limits[facts_.thread_index(p)];
    mine = std::max(mine, facts_.step[last] + 1);
  }

  Position before(Position first) const {
    const size_t thread = facts_.thread_index(first);
    const uint32_t step = facts_.step[first];
    return step > 0 ? facts_.events_of[thread][step - 1] : facts_.fork_of[thread];
  }

  // Whether `q` has happened whenever `p` has, or is it.
  bool precedes(Position q, Position p) const {
    return q == p || facts_.step[q] < run_.needed(p, facts_.thread_index(q));
  }

  // Whether `source` is gone whenever the step after `previous` is next: another one of `all` came
  // after it, or anyone if it is the initial one.
  bool is_over(Position source, Position previous, std::span<const Position> all) const {
    if (previous == kNoPosition) return false;
    return std::ranges::any_of(all, [&](Position other) {
      return other != source && precedes(other, previous) &&
             (source == kNoPosition || precedes(source, other));
    });
  }

  // Calls `look` with every one of `all`, and none, that `first` might come after instead of `usual`.
  template <class Look>
  void for_each_source(Position first, Position usual, std::span<const Position> all, Look look) {
    const Position previous = before(first);
    auto consider = [&](Position source) {
      if (source == usual || is_over(source, previous, all)) return;
      Limits limits = limits_;
      raise(limits, previous);
      raise(limits, source);
      if (limits[facts_.thread_index(first)] > facts_.step[first]) return;
      look(source, std::move(limits));
    };
    for (const Position source : all) consider(source);
    consider(kNoPosition);
  }

  void vary_read(Position first, Position end) {
    for (Position p = first; p < end; ++p) {
      const trace::Event& e = facts_.event(p);
      if (e.is_ambiguous()) continue;
      const auto look = [&](Position writer, Limits limits) {
        raise(limits, facts_.alloc_of[to_index(e.location())]);
        Deviation deviation{.first = first};
        deviation.writers.assign(facts_.partner.begin() + first, facts_.partner.begin() + end);
        deviation.writers[p - first] = writer;
        for (const Position other : deviation.writers) raise(limits, other);
        if (limits[facts_.thread_index(first)] > facts_.step[first]) return;
        const History history = histories_.of_read(first, deviation.writers);
        Alternative alternative{.target = target_of(limits, first, history)};
        describe(p, writer, alternative);
        look_at(std::move(limits), std::move(deviation), std::move(alternative));
      };
      for_each_source(first, facts_.partner[p], facts_.writes_of(e.location()), look);
    }
  }

  void vary_acquire(Position p) {
    const trace::Event& e = facts_.event(p);
    const auto all = run_.releases_.find(e.lock());
    if (all == run_.releases_.end()) return;
    for_each_source(
        p, histories_.lock_predecessors()[p], all->second, [&](Position released, Limits limits) {
          Alternative alternative{.target =
                                      target_of(limits, p, histories_.of_acquire(p, released))};
          const uint64_t other = released == kNoPosition ? 0 : 1 + facts_.thread_index(released);
          alternative.sort = mixed(mixed(place(p), 4), other);
          look_at(std::move(limits), {.first = p, .writers = {}, .released = released},
                  std::move(alternative));
        });
  }

  uint64_t place(Position p) const { return to_index(facts_.event(p).site) + 1; }

  Target target_of(const Limits& limits, Position first, History deviating) const {
    std::vector<History> ends{deviating};
    for (size_t t = 0; t < limits.size(); ++t) {
      if (limits[t] == 0 || t == facts_.thread_index(first)) continue;
      ends.push_back(histories_.of(facts_.events_of[t][limits[t] - 1]));
    }
    return Target::of(std::move(ends));
  }

  void look_at(Limits limits, Deviation deviation, Alternative alternative) {
    const Target& target = alternative.target;
    if (known_.is_tried(target) || run_.impossible_.contains(target.key)) return;
    if (!known_.is_contained(target)) {
      Arrangement arrangement(facts_, histories_.lock_predecessors(), std::move(limits),
                              std::move(deviation));
      const ArrangementOutcome outcome = arrangement.find();
      if (outcome != ArrangementOutcome::found) {
        ++(outcome == ArrangementOutcome::gave_up ? found_.gave_up : found_.impossible);
        run_.impossible_.insert(target.key);
        return;
      }
      alternative.schedule = schedule_of(arrangement.order());
    }
    found_.alternatives.push_back(std::move(alternative));
  }

  schedule::Schedule schedule_of(std::span<const Position> order) const {
    std::vector<pipeline::WitnessStep> steps;
    for (const Position p : order) {
      steps.push_back({facts_.event(p).index, facts_.event(p).thread});
    }
    return run_.steps_.of_witness(0, pipeline::input_steps(steps, 0, run_.trace_.folded));
  }

  void describe(Position read, Position writer, Alternative& alternative) const {
    const trace::Event& e = facts_.event(read);
    const auto value = values_.from(e.location(), writer);
    const auto recorded = analysis::ReadValues::returned(e);
    alternative.same_value = value && recorded && *value == *recorded;
    const uint64_t what = value                   ? mixed(1, *value)
                          : writer == kNoPosition ? 2
                                                  : mixed(3, place(writer));
    alternative.sort = mixed(place(read), what);
  }

  ExploredRun& run_;
  const judge::TraceFacts& facts_;
  const Histories& histories_;
  const Known& known_;
  const analysis::ReadValues values_;
  Limits limits_;  // by thread: how much of it the target has
  Neighbors found_;
};

Neighbors ExploredRun::next_to(const Target& target, const Known& known,
                               const std::function<bool()>& is_over) {
  const std::lock_guard guard(mutex_);
  return Search(*this, target, known).run(is_over);
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
      case EventKind::AcquireShared:
        kinds.insert("who shares a read-write lock");
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

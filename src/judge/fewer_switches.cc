// SPDX-License-Identifier: Apache-2.0

#include "judge/fewer_switches.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>

#include "judge/reordering.h"

namespace foretell::judge {
namespace {

// The order of dependent events in an interleaving, as edges between its elements.
class Dependences {
 public:
  enum class Direction { forward, backward };

  Dependences(const TraceFacts& facts, const Goal& goal, std::span<const Position> order)
      : facts_(facts), order_(order), last_of_thread_(facts.thread_count(), kNone) {
    next_in_thread_.assign(order.size(), kNone);
    for (uint32_t i = 0; i < order.size(); ++i) add(i);
    keep_order_of(goal.happening());
  }

  // Built from the beginning or from the end. Stays in a thread as long as it can, then takes what
  // comes first in the given order (last, from the end).
  Interleaving grouped(Direction direction) const {
    const bool forward = direction == Direction::forward;
    const auto size = static_cast<uint32_t>(order_.size());
    // From the end: element i is number size - 1 - i, and edges are turned around.
    auto number = [&](uint32_t i) { return forward ? i : size - 1 - i; };
    std::vector<uint32_t> waits_for(size), first(size + 1), next_in_thread(size, kNone);
    auto turned = [&](auto edge) {
      auto [from, to] = edge;
      return forward ? std::pair(from, to) : std::pair(number(to), number(from));
    };
    for (auto edge : edges_) {
      auto [from, to] = turned(edge);
      ++waits_for[to], ++first[from + 1];
    }
    for (size_t i = 0; i < size; ++i) first[i + 1] += first[i];
    std::vector<uint32_t> targets(edges_.size()), fill(first.begin(), first.end() - 1);
    for (auto edge : edges_) {
      auto [from, to] = turned(edge);
      targets[fill[from]++] = to;
    }
    for (uint32_t i = 0; i < size; ++i) {
      if (next_in_thread_[i] == kNone) continue;
      auto [from, to] = turned(std::pair(i, next_in_thread_[i]));
      next_in_thread[from] = to;
    }

    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    std::vector<bool> done(size);
    for (uint32_t i = 0; i < size; ++i) {
      if (waits_for[i] == 0) ready.push(i);
    }
    Interleaving result;
    uint32_t next = kNone;
    while (true) {
      if (next == kNone || waits_for[next] > 0) {
        while (!ready.empty() && done[ready.top()]) ready.pop();
        if (ready.empty()) break;
        next = ready.top();
      }
      result.push_back(order_[number(next)]);
      done[next] = true;
      for (uint32_t k = first[next]; k < first[next + 1]; ++k) {
        if (--waits_for[targets[k]] == 0) ready.push(targets[k]);
      }
      next = next_in_thread[next];
    }
    if (!forward) std::ranges::reverse(result);
    return result;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct LocationUse {
    uint32_t write = kNone;
    std::vector<uint32_t> reads;  // since then
  };

  void keep_order_of(std::span<const Position> events) {
    uint32_t last = kNone;
    for (uint32_t i = 0; i < order_.size() && !events.empty(); ++i) {
      if (std::ranges::find(events, order_[i]) == events.end()) continue;
      depend(std::exchange(last, i), i);
    }
  }

  void depend(uint32_t before, uint32_t after) {
    if (before != kNone) edges_.emplace_back(before, after);
  }

  // Depends on a fork, an alloc or a post, unless that is in the recorded part.
  void depend_on(Position enabling, uint32_t after) {
    auto it = enabling_.find(enabling);
    if (it != enabling_.end()) depend(it->second, after);
  }

  template <class Id>
  void chain(absl::flat_hash_map<Id, uint32_t>& last, Id id, uint32_t i) {
    auto [it, fresh] = last.try_emplace(id, i);
    if (!fresh) depend(std::exchange(it->second, i), i);
  }

  void add_access(uint32_t i, const trace::Event& e) {
    LocationUse& use = locations_[e.location()];
    depend(use.write, i);
    depend_on(facts_.alloc_of[to_index(e.location())], i);
    if (is_write(e.kind) || e.kind == trace::EventKind::Free) {
      for (uint32_t read : use.reads) depend(read, i);
      use.reads.clear();
      use.write = i;
    } else {
      use.reads.push_back(i);
    }
  }

  void add(uint32_t i) {
    const Position p = order_[i];
    const trace::Event& e = facts_.event(p);
    const size_t thread = to_index(e.thread);
    if (last_of_thread_[thread] != kNone) {
      next_in_thread_[last_of_thread_[thread]] = i;
      depend(last_of_thread_[thread], i);
    } else {
      depend_on(facts_.fork_of[thread], i);
    }
    last_of_thread_[thread] = i;

    const trace::Operands operands = operands_of(e.kind);
    const bool waits = operands == trace::Operands::Wait || operands == trace::Operands::Wake;
    if (is_access(e.kind)) add_access(i, e);
    if (waits || operands == trace::Operands::Lock) chain(locks_, e.lock(), i);
    if (waits || operands == trace::Operands::Notify) chain(conditions_, e.condition(), i);
    if (operands == trace::Operands::Barrier) chain(barriers_, e.barrier(), i);
    if (e.kind == trace::EventKind::Join) {
      depend(last_of_thread_[to_index(e.other_thread())], i);
      depend_on(facts_.fork_of[to_index(e.other_thread())], i);
    }
    if (e.kind == trace::EventKind::SemaphoreWait) depend_on(facts_.partner[p], i);
    if (e.kind == trace::EventKind::Fork || e.kind == trace::EventKind::Alloc ||
        e.kind == trace::EventKind::SemaphorePost) {
      enabling_[p] = i;
    }
  }

  const TraceFacts& facts_;
  std::span<const Position> order_;
  std::vector<uint32_t> last_of_thread_;
  std::vector<uint32_t> next_in_thread_;  // by element
  std::vector<std::pair<uint32_t, uint32_t>> edges_;
  absl::flat_hash_map<LocationId, LocationUse> locations_;
  absl::flat_hash_map<LockId, uint32_t> locks_;
  absl::flat_hash_map<ConditionId, uint32_t> conditions_;
  absl::flat_hash_map<BarrierId, uint32_t> barriers_;
  absl::flat_hash_map<Position, uint32_t> enabling_;  // forks, allocs, posts
};

// Moves whole runs of a thread next to its other runs, wherever the checker allows it.
class RunMerger {
 public:
  RunMerger(const TraceFacts& facts, const Goal& goal, Reordering witness)
      : facts_(facts), goal_(goal), witness_(std::move(witness)) {
    const size_t executed = witness_.steps.size() - goal.stopped().size();
    for (Position p : std::span(witness_.steps).first(executed)) {
      const bool same =
          !runs_.empty() && facts.event(runs_.back().front()).thread == facts.event(p).thread;
      if (!same) runs_.emplace_back();
      runs_.back().push_back(p);
    }
  }

  Reordering merge() {
    for (size_t i = 0; i < runs_.size();) {
      const size_t j = next_of_thread(i);
      if (j == runs_.size() || !(try_move(j, i + 1) || try_move(i, j - 1))) ++i;
    }
    return std::move(witness_);
  }

 private:
  static constexpr size_t kMostWork = 400'000;  // events executed by the checker

  ThreadId thread(size_t run) const { return facts_.event(runs_[run].front()).thread; }

  size_t next_of_thread(size_t i) const {
    size_t j = i + 1;
    while (j < runs_.size() && thread(j) != thread(i)) ++j;
    return j;
  }

  // Puts run `from` to place `to`, where it touches another run of its thread.
  bool try_move(size_t from, size_t to) {
    if (work_ + witness_.steps.size() > kMostWork) return false;
    work_ += witness_.steps.size();
    std::vector<Interleaving> moved = runs_;
    Interleaving run = std::move(moved[from]);
    moved.erase(moved.begin() + static_cast<ptrdiff_t>(from));
    moved.insert(moved.begin() + static_cast<ptrdiff_t>(to), std::move(run));
    Reordering candidate{witness_.recorded};
    std::vector<Interleaving> merged;
    for (Interleaving& each : moved) {
      candidate.steps.insert(candidate.steps.end(), each.begin(), each.end());
      const bool same = !merged.empty() && facts_.event(merged.back().front()).thread ==
                                               facts_.event(each.front()).thread;
      if (same) {
        merged.back().insert(merged.back().end(), each.begin(), each.end());
      } else {
        merged.push_back(std::move(each));
      }
    }
    candidate.steps.insert(candidate.steps.end(), goal_.stopped().begin(), goal_.stopped().end());
    if (check_witness(facts_, goal_, candidate)) return false;
    witness_ = std::move(candidate);
    runs_ = std::move(merged);
    return true;
  }

  const TraceFacts& facts_;
  const Goal& goal_;
  Reordering witness_;
  std::vector<Interleaving> runs_;
  size_t work_ = 0;
};

// What follows the last event of an order adds nothing.
void cut_after_last(const Goal& goal, Reordering& order) {
  if (!goal.stopped().empty()) return;
  const auto last = std::ranges::find(order.steps, goal.events.back());
  if (last != order.steps.end()) order.steps.erase(std::next(last), order.steps.end());
}

}  // namespace

size_t thread_switches(const TraceFacts& facts, std::span<const Position> order) {
  size_t switches = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    if (facts.event(order[i]).thread != facts.event(order[i - 1]).thread) ++switches;
  }
  return switches;
}

Reordering with_fewer_switches(const TraceFacts& facts, const Goal& goal, Reordering witness) {
  using enum Dependences::Direction;
  const std::span<const Position> executed =
      std::span(witness.steps).first(witness.steps.size() - goal.stopped().size());
  const Dependences dependences(facts, goal, executed);
  Reordering best = witness;
  for (auto direction : {forward, backward}) {
    Reordering grouped{witness.recorded, dependences.grouped(direction)};
    grouped.steps.insert(grouped.steps.end(), goal.stopped().begin(), goal.stopped().end());
    cut_after_last(goal, grouped);
    if (thread_switches(facts, grouped.steps) >= thread_switches(facts, best.steps)) continue;
    if (!check_witness(facts, goal, grouped)) best = std::move(grouped);
  }
  best = RunMerger(facts, goal, std::move(best)).merge();
  cut_after_last(goal, best);
  return best;
}

}  // namespace foretell::judge

#include "order/witness_cleanup.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <span>

#include "order/needs.h"
#include "order/reordering.h"

namespace foretell {
namespace {

// What the witness's own choices need: who held a lock when a try failed, which sections had to end
// for others to begin.
class Choices {
 public:
  Choices(const TraceFacts& facts, Position recorded, std::span<const Position> order)
      : facts_(facts), order_(order), begins_(facts.steps_before(recorded)) {}

  void require(Needs& needs) const {
    Sections begun;  // needed sections so far
    for (Position p : order_) {
      const Event& e = facts_.event(p);
      if (!needs.is_needed(p) || !begins_section(e.kind)) continue;
      std::vector<Position>& earlier = of_lock(begun, e.lock());
      std::erase_if(earlier, [&](Position begin) {
        const bool ended = excludes(e.kind, facts_.event(begin).kind);
        if (ended && facts_.match[begin] != kNoPosition) needs.require(facts_.match[begin]);
        return ended;
      });
      earlier.push_back(p);
    }
    Sections open;
    for (Position p : order_) {
      const Event& e = facts_.event(p);
      if (begins_section(e.kind)) of_lock(open, e.lock()).push_back(p);
      if (ends_section(e.kind)) std::erase(of_lock(open, e.lock()), facts_.match[p]);
      const bool tried = e.kind == EventKind::TryFail || e.kind == EventKind::TryFailShared;
      if (tried && needs.is_needed(p)) needs.require(of_lock(open, e.lock()).front());
    }
  }

 private:
  using Sections = absl::flat_hash_map<LockId, std::vector<Position>>;

  // At first: what the recorded part left open.
  std::vector<Position>& of_lock(Sections& sections, LockId lock) const {
    auto [it, fresh] = sections.try_emplace(lock);
    if (fresh) {
      for (uint32_t t : facts_.locks.users(lock)) {
        const Position begin = facts_.locks.open_section(lock, t, begins_[t]);
        if (begin != kNoPosition) it->second.push_back(begin);
      }
    }
    return it->second;
  }

  const TraceFacts& facts_;
  std::span<const Position> order_;
  const std::vector<uint32_t> begins_;  // by thread: events of the recorded part
};

// The steps of a witness without its stopped events.
std::span<const Position> executed(const Goal& goal, const Reordering& witness) {
  return std::span(witness.steps).first(witness.steps.size() - goal.stopped().size());
}

void add_stopped(const Goal& goal, Reordering& order) {
  order.steps.insert(order.steps.end(), goal.stopped().begin(), goal.stopped().end());
}

Reordering drop_unneeded(const TraceFacts& facts, const Goal& goal, const Reordering& witness) {
  const std::span<const Position> order = executed(goal, witness);
  Needs needs(facts, goal);
  needs.require_recorded(witness.recorded);
  const Choices choices(facts, witness.recorded, order);
  for (size_t before = 0; !needs.contradiction() && before != needs.count();) {
    before = needs.count();
    choices.require(needs);
  }
  Reordering kept{witness.recorded};
  for (Position p : order) {
    if (needs.is_needed(p)) kept.steps.push_back(p);
  }
  add_stopped(goal, kept);
  return kept;
}

// The order of dependent events in an interleaving, as edges between its elements.
class Dependences {
 public:
  Dependences(const TraceFacts& facts, const Goal& goal, std::span<const Position> order)
      : facts_(facts), order_(order), last_of_thread_(facts.thread_count(), kNone) {
    next_in_thread_.assign(order.size(), kNone);
    for (uint32_t i = 0; i < order.size(); ++i) add(i);
    keep_order_of(goal.happening());
  }

  Interleaving grouped() const {
    std::vector<uint32_t> waits_for(order_.size()), first(order_.size() + 1);
    for (auto [from, to] : edges_) ++waits_for[to], ++first[from + 1];
    for (size_t i = 0; i < order_.size(); ++i) first[i + 1] += first[i];
    std::vector<uint32_t> targets(edges_.size()), fill(first.begin(), first.end() - 1);
    for (auto [from, to] : edges_) targets[fill[from]++] = to;

    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    std::vector<bool> done(order_.size());
    for (uint32_t i = 0; i < order_.size(); ++i) {
      if (waits_for[i] == 0) ready.push(i);
    }
    Interleaving result;
    uint32_t next = kNone;
    while (true) {
      if (next == kNone || waits_for[next] > 0) {
        while (!ready.empty() && done[ready.top()]) ready.pop();
        if (ready.empty()) return result;
        next = ready.top();
      }
      result.push_back(order_[next]);
      done[next] = true;
      for (uint32_t k = first[next]; k < first[next + 1]; ++k) {
        if (--waits_for[targets[k]] == 0) ready.push(targets[k]);
      }
      next = next_in_thread_[next];
    }
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

  void add_access(uint32_t i, const Event& e) {
    LocationUse& use = locations_[e.location()];
    depend(use.write, i);
    depend_on(facts_.alloc_of[to_index(e.location())], i);
    if (is_write(e.kind) || e.kind == EventKind::Free) {
      for (uint32_t read : use.reads) depend(read, i);
      use.reads.clear();
      use.write = i;
    } else {
      use.reads.push_back(i);
    }
  }

  void add(uint32_t i) {
    const Position p = order_[i];
    const Event& e = facts_.event(p);
    const size_t thread = to_index(e.thread);
    if (last_of_thread_[thread] != kNone) {
      next_in_thread_[last_of_thread_[thread]] = i;
      depend(last_of_thread_[thread], i);
    } else {
      depend_on(facts_.fork_of[thread], i);
    }
    last_of_thread_[thread] = i;

    const Operands operands = operands_of(e.kind);
    const bool waits = operands == Operands::Wait || operands == Operands::Wake;
    if (is_access(e.kind)) add_access(i, e);
    if (waits || operands == Operands::Lock) chain(locks_, e.lock(), i);
    if (waits || operands == Operands::Notify) chain(conditions_, e.condition(), i);
    if (operands == Operands::Barrier) chain(barriers_, e.barrier(), i);
    if (e.kind == EventKind::Join) {
      depend(last_of_thread_[to_index(e.other_thread())], i);
      depend_on(facts_.fork_of[to_index(e.other_thread())], i);
    }
    if (e.kind == EventKind::SemaphoreWait) depend_on(facts_.partner[p], i);
    if (e.kind == EventKind::Fork || e.kind == EventKind::Alloc ||
        e.kind == EventKind::SemaphorePost) {
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

Reordering group_by_thread(const TraceFacts& facts, const Goal& goal, const Reordering& witness) {
  Reordering grouped{witness.recorded, Dependences(facts, goal, executed(goal, witness)).grouped()};
  add_stopped(goal, grouped);
  return grouped;
}

}  // namespace

Reordering clean_up_witness(const TraceFacts& facts, const Goal& goal, Reordering witness) {
  if (witness.size() <= kLongestCleanedWitness) witness = {0, witness.written_out()};
  if (witness.steps.size() > kLongestCleanedWitness) return witness;
  for (auto* step : {&drop_unneeded, &group_by_thread}) {
    Reordering cleaner = step(facts, goal, witness);
    if (!check_witness(facts, goal, cleaner)) witness = std::move(cleaner);
  }
  return witness;
}

}  // namespace foretell

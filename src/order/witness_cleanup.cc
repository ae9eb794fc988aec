#include "order/witness_cleanup.h"

#include <functional>
#include <queue>
#include <span>

#include "order/checker.h"
#include "order/needs.h"

namespace foretell {
namespace {

// What the witness's own choices need: who held a lock when a try failed, which sections had to end
// for others to begin.
void require_choices(const TraceFacts& facts, std::span<const Position> order, Needs& needs) {
  absl::flat_hash_map<LockId, std::vector<Position>> begun;  // needed sections so far
  for (Position p : order) {
    const Event& e = facts.event(p);
    if (!needs.is_needed(p)) continue;
    if (begins_section(e.kind)) {
      std::vector<Position>& earlier = begun[e.lock()];
      std::erase_if(earlier, [&](Position begin) {
        const bool excludes = begins_exclusive(e.kind) || begins_exclusive(facts.event(begin).kind);
        if (excludes && facts.match[begin] != kNoPosition) needs.require(facts.match[begin]);
        return excludes;
      });
      earlier.push_back(p);
    }
  }
  absl::flat_hash_map<LockId, std::vector<Position>> open;
  for (Position p : order) {
    const Event& e = facts.event(p);
    if (begins_section(e.kind)) open[e.lock()].push_back(p);
    if (ends_section(e.kind)) std::erase(open[e.lock()], facts.match[p]);
    const bool tried = e.kind == EventKind::TryFail || e.kind == EventKind::TryFailShared;
    if (tried && needs.is_needed(p)) needs.require(open[e.lock()].front());
  }
}

Interleaving drop_unneeded(const TraceFacts& facts, const Interleaving& witness) {
  const std::span order = std::span(witness).first(witness.size() - 2);
  Needs needs(facts, witness[order.size()], witness.back());
  for (size_t before = 0; !needs.contradiction() && before != needs.count();) {
    before = needs.count();
    require_choices(facts, order, needs);
  }
  Interleaving kept;
  for (Position p : order) {
    if (needs.is_needed(p)) kept.push_back(p);
  }
  kept.insert(kept.end(), witness.end() - 2, witness.end());
  return kept;
}

// The order of dependent events in an interleaving, as edges between its elements.
class Dependences {
 public:
  Dependences(const TraceFacts& facts, std::span<const Position> order)
      : facts_(facts), order_(order), last_of_thread_(facts.thread_count(), kNone) {
    next_in_thread_.assign(order.size(), kNone);
    for (uint32_t i = 0; i < order.size(); ++i) add(i);
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

  void depend(uint32_t before, uint32_t after) {
    if (before != kNone) edges_.emplace_back(before, after);
  }

  template <class Id>
  void chain(absl::flat_hash_map<Id, uint32_t>& last, Id id, uint32_t i) {
    auto [it, fresh] = last.try_emplace(id, i);
    if (!fresh) depend(std::exchange(it->second, i), i);
  }

  void add_access(uint32_t i, const Event& e) {
    LocationUse& use = locations_[e.location()];
    depend(use.write, i);
    if (Position alloc = facts_.alloc_of[to_index(e.location())]; alloc != kNoPosition) {
      depend(enabling_.at(alloc), i);
    }
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
    } else if (facts_.fork_of[thread] != kNoPosition) {
      depend(enabling_.at(facts_.fork_of[thread]), i);
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
      const Position fork = facts_.fork_of[to_index(e.other_thread())];
      if (fork != kNoPosition) depend(enabling_.at(fork), i);
    }
    if (e.kind == EventKind::SemaphoreWait && facts_.partner[p] != kNoPosition) {
      depend(enabling_.at(facts_.partner[p]), i);
    }
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

Interleaving group_by_thread(const TraceFacts& facts, const Interleaving& witness) {
  const std::span order = std::span(witness).first(witness.size() - 2);
  Interleaving grouped = Dependences(facts, order).grouped();
  grouped.insert(grouped.end(), witness.end() - 2, witness.end());
  return grouped;
}

}  // namespace

Interleaving clean_up_witness(const TraceFacts& facts, Interleaving witness) {
  if (witness.size() > kLongestCleanedWitness) return witness;
  for (auto* step : {&drop_unneeded, &group_by_thread}) {
    Interleaving cleaner = step(facts, witness);
    if (!check_race_witness(facts, cleaner)) witness = std::move(cleaner);
  }
  return witness;
}

}  // namespace foretell

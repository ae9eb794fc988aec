// SPDX-License-Identifier: Apache-2.0

#include "static_analysis/product/product.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "static_analysis/product/machine.h"

namespace foretell::static_analysis {
namespace {

constexpr size_t kMaxPairs = 400;
constexpr int kMaxRounds = 6;

// Threads and cells for each state that is allowed.
constexpr uint64_t kMostCopied = 25;

class Exploration {
 public:
  enum class Outcome : uint8_t { proved, race, too_large, cannot };

  Exploration(const PairRules& rules, const std::vector<RacePair>& pairs,
              const Coarseness& coarseness)
      : machine_(rules, pairs, coarseness) {
    for (const RacePair& pair : pairs) {
      pairs_.insert({pair.first, pair.second});
      pairs_.insert({pair.second, pair.first});
    }
  }

  // States with many threads and cells take longer: what steps copy is limited, too.
  Outcome run(uint64_t max_states) {
    uint64_t left_to_copy = max_states * kMostCopied;
    if (!machine_.problem().empty()) return Outcome::cannot;
    std::vector<State> left;
    left.push_back(machine_.initial());
    std::vector<State> next;
    while (!left.empty()) {
      const State state = std::move(left.back());
      left.pop_back();
      if (has_race(state)) return Outcome::race;
      for (size_t i = 0; i < state.threads.size(); i++) {
        if (state.threads[i].phase == Phase::finished) continue;
        next.clear();
        if (!machine_.step(state, i, next)) return Outcome::cannot;
        for (State& one : next)
          if (seen_.insert(one.fingerprint()).second) left.push_back(std::move(one));
        const uint64_t copied = next.size() * (state.threads.size() + state.cells.size());
        if (seen_.size() > max_states || copied > left_to_copy) return Outcome::too_large;
        left_to_copy -= copied;
      }
    }
    return Outcome::proved;
  }

  const Machine& machine() const { return machine_; }
  uint64_t states() const { return seen_.size(); }

 private:
  bool has_race(const State& state) {
    std::vector<std::vector<Machine::Pending>> pending;
    for (const ThreadState& thread : state.threads)
      pending.push_back(machine_.pending(state, thread));
    for (size_t i = 0; i < pending.size(); i++)
      for (size_t j = state.threads[i].many ? i : i + 1; j < pending.size(); j++)
        for (const Machine::Pending& a : pending[i])
          for (const Machine::Pending& b : pending[j])
            if (pairs_.contains({a.access, b.access}) && machine_.may_conflict(a, b)) return true;
    return false;
  }

  Machine machine_;
  std::set<std::pair<AccessIndex, AccessIndex>> pairs_;
  absl::flat_hash_set<std::array<uint64_t, 2>> seen_;
};

}  // namespace

ProductAnswer explore_product(const PairRules& rules, const std::vector<RacePair>& pairs,
                              uint64_t max_states) {
  ProductAnswer answer;
  if (pairs.empty() || pairs.size() > kMaxPairs || max_states == 0) return answer;
  Coarseness coarseness;
  for (int round = 0; round < kMaxRounds; round++) {
    Exploration exploration(rules, pairs, coarseness);
    const auto outcome = exploration.run(max_states);
    answer.states += exploration.states();
    answer.problem = exploration.machine().problem();
    switch (outcome) {
      case Exploration::Outcome::proved:
        answer.proved = answer.finished = true;
        return answer;
      case Exploration::Outcome::race:
        answer.finished = true;
        if (coarseness.checks) return answer;
        coarseness.checks = true;
        break;
      case Exploration::Outcome::too_large:
        answer.problem = "too large";
        if (coarseness.values <= 3) return answer;
        coarseness.values = 3;
        break;
      case Exploration::Outcome::cannot: {
        const Machine& machine = exploration.machine();
        const bool lost = machine.lost_barriers() && coarseness.barriers;
        if (machine.crowded().empty() && !lost) return answer;
        coarseness.crowds.insert(machine.crowded().begin(), machine.crowded().end());
        if (lost) coarseness.barriers = false;
        break;
      }
    }
  }
  return answer;
}

}  // namespace foretell::static_analysis

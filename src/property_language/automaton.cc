// SPDX-License-Identifier: Apache-2.0

#include "property_language/automaton.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace foretell::property_language {
namespace {

// By letter and state: the states that lead there.
using Predecessors = std::vector<std::vector<std::vector<uint32_t>>>;

Predecessors predecessors_of(const Automaton& automaton, size_t letters) {
  Predecessors before(letters, std::vector<std::vector<uint32_t>>(automaton.states.size()));
  for (uint32_t s = 0; s < automaton.states.size(); ++s) {
    for (size_t a = 0; a < letters; ++a) before[a][automaton.states[s].next[a]].push_back(s);
  }
  return before;
}

// The blocks of Hopcroft's partition, by state.
std::vector<uint32_t> partition(const Automaton& automaton, size_t letters) {
  const Predecessors before = predecessors_of(automaton, letters);
  std::vector<uint32_t> block_of(automaton.states.size());
  std::vector<std::vector<uint32_t>> blocks;
  std::map<std::pair<Verdict, bool>, uint32_t> first;
  for (uint32_t s = 0; s < automaton.states.size(); ++s) {
    const Automaton::State& state = automaton.states[s];
    auto [it, fresh] = first.try_emplace({state.verdict, state.may_end}, blocks.size());
    if (fresh) blocks.emplace_back();
    blocks[it->second].push_back(s);
    block_of[s] = it->second;
  }
  std::deque<std::pair<uint32_t, size_t>> splitters;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (size_t a = 0; a < letters; ++a) splitters.emplace_back(b, a);
  }
  while (!splitters.empty()) {
    const auto [splitter, a] = splitters.front();
    splitters.pop_front();
    std::map<uint32_t, std::vector<uint32_t>> touched;  // by block: those that lead into it
    for (uint32_t target : blocks[splitter]) {
      for (uint32_t s : before[a][target]) touched[block_of[s]].push_back(s);
    }
    for (auto& [b, inside] : touched) {
      if (inside.size() == blocks[b].size()) continue;
      const auto fresh = static_cast<uint32_t>(blocks.size());
      for (uint32_t s : inside) block_of[s] = fresh;
      std::erase_if(blocks[b], [&](uint32_t s) { return block_of[s] == fresh; });
      blocks.push_back(std::move(inside));
      // Both parts split what the whole would have split; the smaller would do where the whole is
      // not waiting, and taking both is never wrong.
      const bool fresh_is_smaller = blocks[fresh].size() < blocks[b].size();
      for (size_t letter = 0; letter < letters; ++letter) {
        const bool waits = std::ranges::find(splitters, std::pair(b, letter)) != splitters.end();
        splitters.emplace_back(waits || fresh_is_smaller ? fresh : b, letter);
      }
    }
  }
  return block_of;
}

}  // namespace

std::vector<bool> states_at_risk(const Automaton& automaton) {
  std::vector<std::vector<uint32_t>> before(automaton.states.size());
  std::deque<uint32_t> left;
  std::vector<bool> at_risk(automaton.states.size());
  for (uint32_t s = 0; s < automaton.states.size(); ++s) {
    const Automaton::State& state = automaton.states[s];
    for (uint32_t next : state.next) before[next].push_back(s);
    if (state.verdict != Verdict::violated && state.may_end) continue;
    at_risk[s] = true;
    left.push_back(s);
  }
  for (; !left.empty(); left.pop_front()) {
    for (uint32_t s : before[left.front()]) {
      if (at_risk[s]) continue;
      at_risk[s] = true;
      left.push_back(s);
    }
  }
  return at_risk;
}

void mark_satisfied(Automaton& automaton) {
  const std::vector<bool> at_risk = states_at_risk(automaton);
  for (uint32_t s = 0; s < automaton.states.size(); ++s) {
    Automaton::State& state = automaton.states[s];
    if (state.verdict != Verdict::violated) {
      state.verdict = at_risk[s] ? Verdict::inconclusive : Verdict::satisfied;
    }
  }
}

Automaton minimized(const Automaton& automaton) {
  Automaton all = automaton;
  const size_t letters = all.states.empty() ? 0 : all.states[0].next.size();
  for (uint32_t s = 0; s < all.states.size(); ++s) {
    if (all.states[s].verdict != Verdict::violated) continue;
    std::ranges::fill(all.states[s].next, s);
    all.states[s].may_end = false;
  }
  const std::vector<uint32_t> block_of = partition(all, letters);

  Automaton small;
  std::vector<uint32_t> number(all.states.size(), ~0u);  // by block
  std::vector<uint32_t> chosen;                          // by new number: a state of the block
  auto number_of = [&](uint32_t state) {
    uint32_t& n = number[block_of[state]];
    if (n == ~0u) {
      n = static_cast<uint32_t>(chosen.size());
      chosen.push_back(state);
    }
    return n;
  };
  if (!all.states.empty()) number_of(0);
  for (size_t i = 0; i < chosen.size(); ++i) {
    Automaton::State state = all.states[chosen[i]];
    for (uint32_t& next : state.next) next = number_of(next);
    small.states.push_back(std::move(state));
  }
  return small;
}

Automaton created_by(const Automaton& automaton, const std::vector<bool>& creates) {
  Automaton later;
  Automaton::State& waiting = later.states.emplace_back();
  for (size_t letter = 0; letter < creates.size(); ++letter) {
    waiting.next.push_back(creates[letter] ? automaton.states[0].next[letter] + 1 : 0);
  }
  for (Automaton::State state : automaton.states) {
    for (uint32_t& next : state.next) ++next;
    later.states.push_back(std::move(state));
  }
  mark_satisfied(later);
  return minimized(later);
}

}  // namespace foretell::property_language

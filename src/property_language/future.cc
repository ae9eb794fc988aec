// SPDX-License-Identifier: Apache-2.0

#include "property_language/future.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "property_language/expression.h"

namespace foretell::property_language {
namespace {

// A formula in negation normal form, numbered; equal ones are one.
struct Node {
  Operator op{};
  bool negated = false;  // truth, event
  EventSet events = 0;
  int left = -1, right = -1;

  auto operator<=>(const Node&) const = default;
};

using Obligations = std::set<int>;  // formulas that must hold from here on

// A way to keep all obligations of a state for one step.
struct Way {
  std::vector<int> literals = {};  // events that must hold, or must not, now
  Obligations next = {};
  std::set<int> postponed = {};  // untils that are left for later
};

class Tableau {
 public:
  Tableau(const Formula& formula, const Alphabet& alphabet) : alphabet_(alphabet) {
    start_ = add(formula, false);
  }

  // Finds all states; false if there are too many.
  bool build() {
    number({start_});
    for (size_t s = 0; s < states_.size(); ++s) {
      const Obligations state = states_[s];
      for (const Way& way : ways(state)) {
        for (Letter letter = 0; letter < alphabet_.size(); ++letter) {
          if (!allows(way, alphabet_[letter])) continue;
          const uint32_t target = number(way.next);
          edges_[s].push_back({letter, target, way.postponed});
        }
      }
      if (states_.size() > kMostStates) return false;
    }
    find_live();
    return true;
  }

  size_t size() const { return states_.size(); }
  bool is_live(uint32_t state) const { return live_[state]; }
  std::set<uint32_t> after(const std::set<uint32_t>& from, Letter letter) const {
    std::set<uint32_t> to;
    for (uint32_t s : from) {
      for (const Edge& edge : edges_[s]) {
        if (edge.letter == letter && live_[edge.target]) to.insert(edge.target);
      }
    }
    return to;
  }

 private:
  struct Edge {
    Letter letter;
    uint32_t target;
    std::set<int> postponed;
  };

  int intern(Node node) {
    auto [it, fresh] = ids_.try_emplace(node, static_cast<int>(nodes_.size()));
    if (fresh) nodes_.push_back(node);
    return it->second;
  }

  int add(const Formula& f, bool negated) {
    auto part = [&](size_t i) { return add(f.parts[i], negated); };
    switch (f.op) {
      case Operator::truth:
        return intern({Operator::truth, negated});
      case Operator::event:
        return intern({Operator::event, negated, f.events});
      case Operator::negation:
        return add(f.parts[0], !negated);
      case Operator::both:
      case Operator::either: {
        const bool is_both = (f.op == Operator::both) != negated;
        const int left = part(0), right = part(1);
        return intern({is_both ? Operator::both : Operator::either, false, 0, left, right});
      }
      case Operator::until:
      case Operator::release: {
        const bool is_until = (f.op == Operator::until) != negated;
        const int left = part(0), right = part(1);
        return intern({is_until ? Operator::until : Operator::release, false, 0, left, right});
      }
      case Operator::next:
        return intern({Operator::next, false, 0, part(0)});
      case Operator::previously:
      case Operator::since:
        break;
    }
    return intern({Operator::truth, true});
  }

  uint32_t number(const Obligations& state) {
    auto [it, fresh] = numbers_.try_emplace(state, static_cast<uint32_t>(states_.size()));
    if (fresh) {
      states_.push_back(state);
      edges_.emplace_back();
    }
    return it->second;
  }

  std::vector<Way> ways(const Obligations& state) const {
    std::vector<Way> found;
    expand({state.begin(), state.end()}, {}, {}, found);
    return found;
  }

  // Keeps the formulas of `left` one after the other.
  void expand(std::vector<int> left, std::set<int> kept, Way way, std::vector<Way>& found) const {
    while (!left.empty()) {
      const int f = left.back();
      left.pop_back();
      if (!kept.insert(f).second) continue;
      const Node& node = nodes_[static_cast<size_t>(f)];
      auto also = [&](int formula) {
        std::vector<int> more = left;
        more.push_back(formula);
        return more;
      };
      switch (node.op) {
        case Operator::truth:
          if (node.negated) return;
          break;
        case Operator::event:
          way.literals.push_back(f);
          break;
        case Operator::both:
          left.push_back(node.left);
          left.push_back(node.right);
          break;
        case Operator::either:
          expand(also(node.left), kept, way, found);
          left.push_back(node.right);
          break;
        case Operator::next:
          way.next.insert(node.left);
          break;
        case Operator::until: {
          expand(also(node.right), kept, way, found);
          left.push_back(node.left);
          way.next.insert(f);
          way.postponed.insert(f);
          break;
        }
        case Operator::release: {
          std::vector<int> now = also(node.right);
          now.push_back(node.left);
          expand(std::move(now), kept, way, found);
          left.push_back(node.right);
          way.next.insert(f);
          break;
        }
        case Operator::negation:
        case Operator::previously:
        case Operator::since:
          return;
      }
    }
    found.push_back(std::move(way));
  }

  bool allows(const Way& way, EventSet letter) const {
    return std::ranges::all_of(way.literals, [&](int f) {
      const Node& node = nodes_[static_cast<size_t>(f)];
      return ((node.events & letter) != 0) != node.negated;
    });
  }

  // Tarjan's; numbered so that those that a component leads to have smaller numbers.
  void components(std::vector<uint32_t>& component_of, uint32_t& count) const;
  void find_live();

  const Alphabet& alphabet_;
  int start_ = 0;
  std::vector<Node> nodes_;
  std::map<Node, int> ids_;
  std::vector<Obligations> states_;
  std::map<Obligations, uint32_t> numbers_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<bool> live_;
};

void Tableau::components(std::vector<uint32_t>& component_of, uint32_t& count) const {
  constexpr uint32_t kNone = ~0u;
  std::vector<uint32_t> index(states_.size(), kNone), low(states_.size());
  std::vector<uint32_t> stack;
  std::vector<std::pair<uint32_t, size_t>> calls;  // a state, and its next edge
  uint32_t clock = 0;
  component_of.assign(states_.size(), kNone);
  for (uint32_t root = 0; root < states_.size(); ++root) {
    if (index[root] != kNone) continue;
    calls.emplace_back(root, 0);
    while (!calls.empty()) {
      auto& [s, edge] = calls.back();
      if (edge == 0) {
        index[s] = low[s] = clock++;
        stack.push_back(s);
      }
      if (edge < edges_[s].size()) {
        const uint32_t target = edges_[s][edge++].target;
        if (index[target] == kNone) {
          calls.emplace_back(target, 0);
        } else if (component_of[target] == kNone) {
          low[s] = std::min(low[s], index[target]);
        }
        continue;
      }
      const uint32_t done = s;
      calls.pop_back();
      if (!calls.empty()) low[calls.back().first] = std::min(low[calls.back().first], low[done]);
      if (low[done] != index[done]) continue;
      for (uint32_t member = kNone; member != done;) {
        member = stack.back();
        stack.pop_back();
        component_of[member] = count;
      }
      ++count;
    }
  }
}

void Tableau::find_live() {
  std::vector<uint32_t> component_of;
  uint32_t count = 0;
  components(component_of, count);
  // By component: the untils that each of its inner edges puts off; it has none if it has no edge.
  std::vector<std::optional<std::set<int>>> always_postponed(count);
  for (uint32_t s = 0; s < states_.size(); ++s) {
    for (const Edge& edge : edges_[s]) {
      if (component_of[edge.target] != component_of[s]) continue;
      auto& common = always_postponed[component_of[s]];
      if (!common) {
        common = edge.postponed;
      } else {
        std::erase_if(*common, [&](int f) { return !edge.postponed.contains(f); });
      }
    }
  }
  std::vector<bool> good(count);
  live_.assign(states_.size(), false);
  for (uint32_t c = 0; c < count; ++c) {
    good[c] = always_postponed[c] && always_postponed[c]->empty();
  }
  std::vector<std::vector<uint32_t>> members(count);
  for (uint32_t s = 0; s < states_.size(); ++s) members[component_of[s]].push_back(s);
  for (uint32_t c = 0; c < count; ++c) {
    bool live = good[c];
    for (uint32_t s : members[c]) {
      for (const Edge& edge : edges_[s]) live = live || live_[edge.target];
    }
    for (uint32_t s : members[c]) live_[s] = live;
  }
}

}  // namespace

bool has_future(const Formula& f) {
  return f.op == Operator::next || f.op == Operator::until || f.op == Operator::release ||
         std::ranges::any_of(f.parts, has_future);
}

bool has_past(const Formula& f) {
  return f.op == Operator::previously || f.op == Operator::since ||
         std::ranges::any_of(f.parts, has_past);
}

Result<Automaton> future_monitor(const Formula& formula, const Alphabet& alphabet) {
  const auto too_large = [] {
    return fail("the formula has more than {} states; make it simpler", kMostStates);
  };
  Tableau holds(formula, alphabet), fails(negation(formula), alphabet);
  if (!holds.build() || !fails.build()) return too_large();

  using Subset = std::set<uint32_t>;
  auto start_of = [](const Tableau& tableau) { return tableau.is_live(0) ? Subset{0} : Subset{}; };
  Automaton automaton;
  std::map<std::pair<Subset, Subset>, uint32_t> number;
  std::vector<std::pair<Subset, Subset>> order = {{start_of(holds), start_of(fails)}};
  number[order[0]] = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto [can_hold, can_fail] = order[i];
    Automaton::State state{.verdict = can_hold.empty()   ? Verdict::violated
                                      : can_fail.empty() ? Verdict::satisfied
                                                         : Verdict::inconclusive};
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      std::pair next(holds.after(can_hold, letter), fails.after(can_fail, letter));
      auto [it, fresh] = number.try_emplace(next, static_cast<uint32_t>(order.size()));
      if (fresh) order.push_back(std::move(next));
      state.next.push_back(it->second);
    }
    automaton.states.push_back(std::move(state));
    if (order.size() > kMostStates) return too_large();
  }
  return minimized(automaton);
}

}  // namespace foretell::property_language

// SPDX-License-Identifier: Apache-2.0

// The monitor of a context-free pattern.
//
// A state is the set of stacks of symbols that may still come. An event takes the stacks apart that
// can begin with it: rules are replaced by their bodies until an event comes first. Grammars that
// recurse on the right come back to the same set after each complete bracket, so states merge where
// the future is the same. A rule that begins with itself would never get to an event and is refused;
// one that can never be finished is, too, so a stack in the set always has a continuation.

#include <algorithm>

#include "property_language/monitor.h"

namespace foretell::property_language {
namespace {

// By rule: whether it can become an empty run.
std::vector<bool> empty_rules(const Grammar& grammar) {
  std::vector<bool> empty(grammar.rules.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t r = 0; r < empty.size(); ++r) {
      const bool now = std::ranges::any_of(grammar.rules[r].bodies, [&](const auto& body) {
        return std::ranges::all_of(body,
                                   [&](Grammar::Symbol s) { return s.is_rule && empty[s.number]; });
      });
      if (now && !empty[r]) empty[r] = changed = true;
    }
  }
  return empty;
}

// A rule that can never become a run of events, or -1.
int endless_rule(const Grammar& grammar) {
  std::vector<bool> ends(grammar.rules.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t r = 0; r < ends.size(); ++r) {
      const bool now = std::ranges::any_of(grammar.rules[r].bodies, [&](const auto& body) {
        return std::ranges::all_of(body,
                                   [&](Grammar::Symbol s) { return !s.is_rule || ends[s.number]; });
      });
      if (now && !ends[r]) ends[r] = changed = true;
    }
  }
  const auto it = std::ranges::find(ends, false);
  return it == ends.end() ? -1 : static_cast<int>(it - ends.begin());
}

// A rule that can begin with itself, or -1.
int left_recursive_rule(const Grammar& grammar) {
  const std::vector<bool> empty = empty_rules(grammar);
  std::vector<std::set<uint32_t>> begins(grammar.rules.size());
  for (size_t r = 0; r < begins.size(); ++r) {
    for (const auto& body : grammar.rules[r].bodies) {
      for (Grammar::Symbol s : body) {
        if (!s.is_rule) break;
        begins[r].insert(s.number);
        if (!empty[s.number]) break;
      }
    }
  }
  for (size_t pass = 0; pass < begins.size(); ++pass) {
    for (std::set<uint32_t>& mine : begins) {
      std::set<uint32_t> more = mine;
      for (uint32_t r : mine) more.insert(begins[r].begin(), begins[r].end());
      mine = std::move(more);
    }
  }
  for (uint32_t r = 0; r < begins.size(); ++r) {
    if (begins[r].contains(r)) return static_cast<int>(r);
  }
  return -1;
}

}  // namespace

Result<std::unique_ptr<GrammarMonitor>> GrammarMonitor::make(Grammar grammar,
                                                             const Alphabet& alphabet, bool whole) {
  if (const int r = left_recursive_rule(grammar); r >= 0) {
    const Grammar::Rule& rule = grammar.rules[static_cast<size_t>(r)];
    return fail_at(rule.where,
                   "rule '{0}' begins with itself; put the repetition at the end, like "
                   "'{0} -> open {0} close {0} | empty'",
                   rule.name);
  }
  if (const int r = endless_rule(grammar); r >= 0) {
    const Grammar::Rule& rule = grammar.rules[static_cast<size_t>(r)];
    return fail_at(rule.where, "rule '{}' never comes to an end: each of its bodies needs itself",
                   rule.name);
  }
  std::unique_ptr<GrammarMonitor> monitor(new GrammarMonitor(std::move(grammar), alphabet, whole));
  Stacks ready;
  std::set<Stack> seen;
  monitor->expand({{true, 0}}, ready, seen);
  monitor->intern(std::move(ready));
  return monitor;
}

void GrammarMonitor::expand(Stack stack, Stacks& ready, std::set<Stack>& seen) const {
  if (stack.empty() || !stack.back().is_rule) {
    ready.insert(std::move(stack));
    return;
  }
  if (!seen.insert(stack).second) return;
  const uint32_t rule = stack.back().number;
  stack.pop_back();
  for (const auto& body : grammar_.rules[rule].bodies) {
    Stack longer = stack;
    longer.insert(longer.end(), body.rbegin(), body.rend());
    expand(std::move(longer), ready, seen);
  }
}

Monitor::State GrammarMonitor::intern(Stacks stacks) {
  auto [it, fresh] = ids_.try_emplace(stacks, static_cast<State>(states_.size()));
  if (fresh) states_.push_back(std::move(stacks));
  return it->second;
}

Monitor::State GrammarMonitor::next(State state, Letter letter, uint32_t) {
  const EventSet events = alphabet_[letter];
  Stacks ready;
  std::set<Stack> seen;
  for (const Stack& stack : states_[state]) {
    if (stack.empty() || !(events >> stack.back().number & 1)) continue;
    expand({stack.begin(), stack.end() - 1}, ready, seen);
  }
  return intern(std::move(ready));
}

Verdict GrammarMonitor::verdict(State state) const {
  return states_[state].empty() ? Verdict::violated : Verdict::inconclusive;
}

bool GrammarMonitor::may_end(State state) const {
  return !whole_ || states_[state].contains(Stack{});
}

std::string GrammarMonitor::name(State state) const {
  if (states_[state].empty()) return "violated";
  std::string text;
  for (const Stack& stack : states_[state]) {
    if (!text.empty()) text += " | ";
    if (stack.empty()) text += "empty";
    for (size_t i = stack.size(); i-- > 0;) {
      text += stack[i].is_rule ? grammar_.rules[stack[i].number].name
                               : alphabet_.names()[stack[i].number];
      if (i > 0) text += ' ';
    }
  }
  return text;
}

}  // namespace foretell::property_language

// SPDX-License-Identifier: Apache-2.0

#include "property_language/expression.h"

#include <algorithm>
#include <deque>

namespace foretell::property_language {

ExpressionPool::ExpressionPool() {
  intern({Op::none});
  intern({.op = Op::empty, .matches_empty = true});
  intern({Op::any});
}

Expression ExpressionPool::intern(Node node) {
  auto [it, fresh] = ids_.try_emplace(node, static_cast<Expression>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return it->second;
}

Expression ExpressionPool::all() {
  return complement(none());
}

Expression ExpressionPool::one_of(EventSet events) {
  return events == 0 ? none() : intern({Op::events, events});
}

Expression ExpressionPool::sequence(Expression first, Expression second) {
  if (first == none() || second == none()) return none();
  if (first == empty()) return second;
  if (second == empty()) return first;
  // To the right, so that equal sequences are equal nodes.
  if (const Node node = nodes_[static_cast<size_t>(first)]; node.op == Op::sequence) {
    return sequence(node.parts[0], sequence(node.parts[1], second));
  }
  return intern({.op = Op::sequence,
                 .parts = {first, second},
                 .matches_empty = matches_empty(first) && matches_empty(second)});
}

Expression ExpressionPool::set_of(Op op, Expression a, Expression b) {
  std::vector<Expression> parts;
  for (Expression e : {a, b}) {
    const Node& node = nodes_[static_cast<size_t>(e)];
    if (node.op == op) {
      parts.insert(parts.end(), node.parts.begin(), node.parts.end());
    } else {
      parts.push_back(e);
    }
  }
  std::ranges::sort(parts);
  parts.erase(std::ranges::unique(parts).begin(), parts.end());
  if (parts.size() == 1) return parts[0];
  const bool is_either = op == Op::either;
  auto matches = [&](Expression e) { return matches_empty(e); };
  const bool has_empty =
      is_either ? std::ranges::any_of(parts, matches) : std::ranges::all_of(parts, matches);
  return intern({.op = op, .parts = std::move(parts), .matches_empty = has_empty});
}

Expression ExpressionPool::either(Expression a, Expression b) {
  if (a == none()) return b;
  if (b == none()) return a;
  if (a == all() || b == all()) return all();
  return set_of(Op::either, a, b);
}

Expression ExpressionPool::both(Expression a, Expression b) {
  if (a == none() || b == none()) return none();
  if (a == all()) return b;
  if (b == all()) return a;
  return set_of(Op::both, a, b);
}

Expression ExpressionPool::repeated(Expression e) {
  if (e == none() || e == empty()) return empty();
  if (e == all() || nodes_[static_cast<size_t>(e)].op == Op::repeated) return e;
  if (e == any()) return all();
  return intern({.op = Op::repeated, .parts = {e}, .matches_empty = true});
}

Expression ExpressionPool::complement(Expression e) {
  const Node& node = nodes_[static_cast<size_t>(e)];
  if (node.op == Op::complement) return node.parts[0];
  return intern({.op = Op::complement, .parts = {e}, .matches_empty = !node.matches_empty});
}

Expression ExpressionPool::derivative(Expression e, EventSet letter) {
  if (auto it = derivatives_.find({e, letter}); it != derivatives_.end()) return it->second;
  const Node node = nodes_[static_cast<size_t>(e)];
  Expression result = none();
  switch (node.op) {
    case Op::none:
    case Op::empty:
      break;
    case Op::any:
      result = empty();
      break;
    case Op::events:
      if (node.events & letter) result = empty();
      break;
    case Op::sequence:
      result = sequence(derivative(node.parts[0], letter), node.parts[1]);
      if (matches_empty(node.parts[0])) {
        result = either(result, derivative(node.parts[1], letter));
      }
      break;
    case Op::either:
      for (Expression part : node.parts) result = either(result, derivative(part, letter));
      break;
    case Op::both:
      result = all();
      for (Expression part : node.parts) result = both(result, derivative(part, letter));
      break;
    case Op::repeated:
      result = sequence(derivative(node.parts[0], letter), e);
      break;
    case Op::complement:
      result = complement(derivative(node.parts[0], letter));
      break;
  }
  derivatives_.emplace(std::pair(e, letter), result);
  return result;
}

Result<Automaton> matcher_of(ExpressionPool& pool, Expression e, const Alphabet& alphabet) {
  Automaton automaton;
  std::map<Expression, uint32_t> number = {{e, 0}};
  std::vector<Expression> order = {e};
  for (size_t i = 0; i < order.size(); ++i) {
    Automaton::State state{.may_end = pool.matches_empty(order[i])};
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      const Expression next = pool.derivative(order[i], alphabet[letter]);
      auto [it, fresh] = number.try_emplace(next, static_cast<uint32_t>(order.size()));
      if (fresh) order.push_back(next);
      state.next.push_back(it->second);
    }
    automaton.states.push_back(std::move(state));
    if (order.size() > kMostStates) {
      return fail("the pattern has more than {} states; make it simpler", kMostStates);
    }
  }
  return automaton;
}

namespace {

// The states from which one that may end can be reached.
std::vector<bool> live_states(const Automaton& automaton) {
  std::vector<std::vector<uint32_t>> before(automaton.states.size());
  std::vector<bool> live(automaton.states.size());
  std::deque<uint32_t> left;
  for (uint32_t s = 0; s < automaton.states.size(); ++s) {
    for (uint32_t next : automaton.states[s].next) before[next].push_back(s);
    if (!automaton.states[s].may_end) continue;
    live[s] = true;
    left.push_back(s);
  }
  for (; !left.empty(); left.pop_front()) {
    for (uint32_t s : before[left.front()]) {
      if (live[s]) continue;
      live[s] = true;
      left.push_back(s);
    }
  }
  return live;
}

}  // namespace

Result<Automaton> prefix_monitor(ExpressionPool& pool, Expression e, const Alphabet& alphabet,
                                 bool whole) {
  FORETELL_TRY(automaton, matcher_of(pool, e, alphabet));
  const std::vector<bool> live = live_states(automaton);
  for (size_t s = 0; s < live.size(); ++s) {
    if (!live[s]) automaton.states[s].verdict = Verdict::violated;
    if (!whole) automaton.states[s].may_end = true;
  }
  mark_satisfied(automaton);
  return minimized(automaton);
}

Result<Automaton> never_monitor(ExpressionPool& pool, Expression e, const Alphabet& alphabet) {
  FORETELL_TRY(automaton, matcher_of(pool, e, alphabet));
  for (Automaton::State& state : automaton.states) {
    if (state.may_end) state.verdict = Verdict::violated;
    state.may_end = true;
  }
  mark_satisfied(automaton);
  return minimized(automaton);
}

}  // namespace foretell::property_language

// SPDX-License-Identifier: Apache-2.0

#include "property_language/monitor.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::property_language {

AutomatonMonitor::AutomatonMonitor(std::shared_ptr<const Automaton> automaton)
    : automaton_(std::move(automaton)), at_risk_(states_at_risk(*automaton_)) {}

std::string AutomatonMonitor::name(State state) const {
  switch (automaton_->states[state].verdict) {
    case Verdict::violated:
      return "violated";
    case Verdict::satisfied:
      return "satisfied";
    case Verdict::inconclusive:
      break;
  }
  return fmt::format("{}", state);
}

namespace {

// State 0 of the past monitor: before the first step.
constexpr uint64_t kStart = ~uint64_t{0};
constexpr size_t kMostParts = 63;

}  // namespace

Result<std::unique_ptr<PastMonitor>> PastMonitor::make(const Formula& formula,
                                                       const Alphabet& alphabet) {
  std::unique_ptr<PastMonitor> monitor(new PastMonitor(alphabet));
  monitor->add(formula);
  if (monitor->parts_.size() > kMostParts) {
    return fail("the formula has {} different parts; at most {} are supported",
                monitor->parts_.size(), kMostParts);
  }
  monitor->states_ = {kStart};
  monitor->ids_[kStart] = 0;
  return monitor;
}

int PastMonitor::add(const Formula& f) {
  Part part{f.op, f.events};
  if (!f.parts.empty()) part.left = add(f.parts[0]);
  if (f.parts.size() > 1) part.right = add(f.parts[1]);
  auto [it, fresh] = numbers_.try_emplace(part, static_cast<int>(parts_.size()));
  if (fresh) parts_.push_back(part);
  return it->second;
}

uint64_t PastMonitor::step(uint64_t before, bool is_first, EventSet letter) const {
  uint64_t now = 0;
  auto at = [](uint64_t truths, int part) { return (truths >> part & 1) != 0; };
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    bool holds = false;
    switch (part.op) {
      case Operator::truth:
        holds = true;
        break;
      case Operator::event:
        holds = (part.events & letter) != 0;
        break;
      case Operator::negation:
        holds = !at(now, part.left);
        break;
      case Operator::both:
        holds = at(now, part.left) && at(now, part.right);
        break;
      case Operator::either:
        holds = at(now, part.left) || at(now, part.right);
        break;
      case Operator::previously:
        holds = !is_first && at(before, part.left);
        break;
      case Operator::since:
        holds = at(now, part.right) ||
                (at(now, part.left) && !is_first && at(before, static_cast<int>(i)));
        break;
      case Operator::next:
      case Operator::until:
      case Operator::release:
        break;
    }
    now |= uint64_t{holds} << i;
  }
  return now;
}

Monitor::State PastMonitor::next(State state, Letter letter, uint32_t) {
  if (verdict(state) == Verdict::violated) return state;
  const uint64_t before = states_[state];
  const uint64_t now = step(before, before == kStart, alphabet_[letter]);
  auto [it, fresh] = ids_.try_emplace(now, static_cast<State>(states_.size()));
  if (fresh) states_.push_back(now);
  return it->second;
}

Verdict PastMonitor::verdict(State state) const {
  const uint64_t truths = states_[state];
  const bool holds = truths == kStart || (truths >> (parts_.size() - 1) & 1) != 0;
  return holds ? Verdict::inconclusive : Verdict::violated;
}

std::string PastMonitor::name(State state) const {
  return verdict(state) == Verdict::violated ? "violated" : fmt::format("{}", state);
}

Monitor::State AtomicityMonitor::next(State state, Letter letter, uint32_t thread) {
  if (state == kViolated) return state;
  const EventSet events = alphabet_[letter];
  if (state != 0) {
    if (state != thread + 1) return kViolated;
    return events & end_ ? 0 : state;
  }
  return events & begin_ ? thread + 1 : 0;
}

std::string AtomicityMonitor::name(State state) const {
  if (state == kViolated) return "violated";
  return state == 0 ? "outside" : fmt::format("in block of thread {}", state - 1);
}

Reached reached_states(Monitor& monitor, const Alphabet& alphabet, size_t most) {
  Reached reached;
  std::map<Monitor::State, uint32_t> number = {{monitor.initial(), 0}};
  std::vector<Monitor::State> order = {monitor.initial()};
  for (size_t i = 0; i < order.size(); ++i) {
    Automaton::State state{.verdict = monitor.verdict(order[i]),
                           .may_end = monitor.may_end(order[i])};
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      const Monitor::State next = monitor.next(order[i], letter, 0);
      if (!number.contains(next) && order.size() >= most) {
        reached.is_complete = false;
        state.next.push_back(~0u);
        continue;
      }
      auto [it, fresh] = number.try_emplace(next, static_cast<uint32_t>(order.size()));
      if (fresh) order.push_back(next);
      state.next.push_back(it->second);
    }
    reached.automaton.states.push_back(std::move(state));
  }
  if (reached.is_complete) {
    mark_satisfied(reached.automaton);
    reached.automaton = minimized(reached.automaton);
    return reached;
  }
  for (Monitor::State state : order) reached.names.push_back(monitor.name(state));
  return reached;
}

}  // namespace foretell::property_language

// SPDX-License-Identifier: Apache-2.0

// STATICDET's definitions, word for word: concrete executions, their two abstractions, and
// determinism on each of the three.
//
// An execution gives each thread the trace of shared memories that it goes through (2.2); an abstract
// state gives it a trace of abstract memories, the i-th of which is about the i-th memory of every
// execution (3.3). These are what the analysis of programs is tested against; it does not keep traces
// itself.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "static_analysis/memory/cells.h"

namespace foretell::static_analysis::memory {

using Variable = std::string;

// 2.2: S, and an element of Psi.
using ConcreteMemory = std::map<Variable, std::pair<int64_t, Writer>>;
using Execution = std::map<Writer, std::vector<ConcreteMemory>>;
using Executions = std::set<Execution>;

// 3.1 and 4.1: S and Psi with cells of the first or the second level.
template <typename Cell>
using AbstractMemory = std::map<Variable, Cell>;
template <typename Cell>
using AbstractTrace = std::vector<AbstractMemory<Cell>>;
template <typename Cell>
using AbstractState = std::map<Writer, AbstractTrace<Cell>>;

// 3.2 and 4.2.
template <typename Cell>
AbstractMemory<Cell> join(AbstractMemory<Cell> a, const AbstractMemory<Cell>& b) {
  for (const auto& [variable, cell] : b) {
    const auto [mine, added] = a.try_emplace(variable, cell);
    if (!added) mine->second = mine->second.join(cell);
  }
  return a;
}

template <typename Cell>
AbstractState<Cell> join(AbstractState<Cell> a, const AbstractState<Cell>& b) {
  for (const auto& [thread, trace] : b) {
    AbstractTrace<Cell>& mine = a[thread];
    if (mine.size() < trace.size()) mine.resize(trace.size());
    for (size_t i = 0; i < trace.size(); i++) mine[i] = join(std::move(mine[i]), trace[i]);
  }
  return a;
}

template <typename Cell>
bool is_below(const AbstractMemory<Cell>& a, const AbstractMemory<Cell>& b) {
  for (const auto& [variable, cell] : a) {
    const auto found = b.find(variable);
    if (found == b.end() || !cell.is_below(found->second)) return false;
  }
  return true;
}

template <typename Cell>
bool is_below(const AbstractState<Cell>& a, const AbstractState<Cell>& b) {
  for (const auto& [thread, trace] : a) {
    const auto found = b.find(thread);
    if (found == b.end() || found->second.size() < trace.size()) return false;
    for (size_t i = 0; i < trace.size(); i++)
      if (!is_below(trace[i], found->second[i])) return false;
  }
  return true;
}

// 3.3: the abstraction of one memory, and of a set of executions.
inline constexpr unsigned kBitsOfDefinitions = 64;

template <typename V>
AbstractMemory<ThreadValues<V>> abstracted(const ConcreteMemory& memory) {
  AbstractMemory<ThreadValues<V>> made;
  for (const auto& [variable, cell] : memory)
    made.emplace(variable,
                 ThreadValues<V>::written(cell.second, V::of(kBitsOfDefinitions, cell.first)));
  return made;
}

template <typename V>
AbstractState<ThreadValues<V>> abstracted(const Executions& executions) {
  AbstractState<ThreadValues<V>> made;
  for (const Execution& execution : executions) {
    AbstractState<ThreadValues<V>> one;
    for (const auto& [thread, trace] : execution)
      for (const ConcreteMemory& memory : trace) one[thread].push_back(abstracted<V>(memory));
    made = join(std::move(made), one);
  }
  return made;
}

// Theorem 1: whether an execution is in the concretization of an abstract state.
template <typename V>
bool is_described(const Execution& execution, const AbstractState<ThreadValues<V>>& state) {
  for (const auto& [thread, trace] : execution) {
    const auto found = state.find(thread);
    if (found == state.end() || found->second.size() < trace.size()) return false;
    for (size_t i = 0; i < trace.size(); i++)
      for (const auto& [variable, cell] : trace[i]) {
        const auto known = found->second[i].find(variable);
        if (known == found->second[i].end()) return false;
        const auto value = known->second.values().find(cell.second);
        if (value == known->second.values().end() || !value->second.contains(cell.first))
          return false;
      }
  }
  return true;
}

// 4.3.
template <typename V>
AbstractState<JoinedValue<V>> joined(const AbstractState<ThreadValues<V>>& state) {
  AbstractState<JoinedValue<V>> made;
  for (const auto& [thread, trace] : state)
    for (const auto& memory : trace) {
      AbstractMemory<JoinedValue<V>> one;
      for (const auto& [variable, cell] : memory) one.emplace(variable, JoinedValue<V>::of(cell));
      made[thread].push_back(std::move(one));
    }
  return made;
}

// Definition 1, DS.
inline bool is_deterministic(const ConcreteMemory& a, const ConcreteMemory& b) {
  for (const auto& [variable, cell] : a) {
    const auto found = b.find(variable);
    if (found != b.end() && found->second.second != cell.second) return false;
  }
  return true;
}

// Definition 2, D.
inline bool is_deterministic(const Executions& executions) {
  for (const Execution& one : executions)
    for (const Execution& other : executions)
      for (const auto& [thread, trace] : one) {
        const auto found = other.find(thread);
        if (found == other.end()) continue;
        for (size_t i = 0; i < std::min(trace.size(), found->second.size()); i++)
          if (!is_deterministic(trace[i], found->second[i])) return false;
      }
  return true;
}

// 5.3 and 5.4: DS and D with cells of either level.
template <typename Cell>
bool is_deterministic(const AbstractMemory<Cell>& memory) {
  for (const auto& [variable, cell] : memory)
    if (cell.writers().size() > 1) return false;
  return true;
}

template <typename Cell>
bool is_deterministic(const AbstractState<Cell>& state) {
  for (const auto& [thread, trace] : state)
    for (const auto& memory : trace)
      if (!is_deterministic(memory)) return false;
  return true;
}

// Definition 3, ADS: two threads have written one abstract value.
template <typename V>
bool is_weakly_deterministic(const AbstractMemory<ThreadValues<V>>& memory) {
  for (const auto& [variable, cell] : memory)
    for (const auto& [writer, value] : cell.values())
      if (!(value == cell.values().begin()->second)) return false;
  return true;
}

// Definition 4, AD.
template <typename V>
bool is_weakly_deterministic(const AbstractState<ThreadValues<V>>& state) {
  for (const auto& [thread, trace] : state)
    for (const auto& memory : trace)
      if (!is_weakly_deterministic(memory)) return false;
  return true;
}

}  // namespace foretell::static_analysis::memory

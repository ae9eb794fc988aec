// SPDX-License-Identifier: Apache-2.0

// Automaton: a deterministic monitor with finitely many states.
//
// Each state says what is known of every run that has come to it: it violates the property whatever
// comes next, it satisfies it whatever comes next, or neither (the three values of LTL3); and
// whether a run may end there. minimized() merges states that agree on all continuations
// (Hopcroft's partition refinement, O(letters x states x log states)).
#pragma once

#include <cstdint>
#include <vector>

#include "property_language/alphabet.h"

namespace foretell::property_language {

enum class Verdict : uint8_t { violated, satisfied, inconclusive };

struct Automaton {
  struct State {
    std::vector<uint32_t> next = {};  // by letter
    Verdict verdict = Verdict::inconclusive;
    bool may_end = true;

    bool operator==(const State&) const = default;
  };
  std::vector<State> states = {};  // the first is the initial one

  bool operator==(const Automaton&) const = default;
};

// The smallest automaton that says the same of every run, its states numbered breadth first. What
// follows a violation is merged into one state.
Automaton minimized(const Automaton& automaton);

// Sees nothing until the first letter that creates it (by letter), which is the first one it sees.
Automaton created_by(const Automaton& automaton, const std::vector<bool>& creates);

// By state: whether a violation or a forbidden end is in reach.
std::vector<bool> states_at_risk(const Automaton& automaton);
// Calls the states that are at no risk satisfied, and all others that are not violated inconclusive.
void mark_satisfied(Automaton& automaton);

}  // namespace foretell::property_language

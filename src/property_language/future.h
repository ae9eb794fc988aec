// SPDX-License-Identifier: Apache-2.0

// LTL3 (Bauer, Leucker, Schallhart: "Runtime verification for LTL and TLTL", TOSEM 2011): a finite
// run violates a formula of the future if no continuation satisfies it, satisfies it if all do, and
// is inconclusive otherwise.
//
// A tableau gives a nondeterministic automaton whose states are sets of formulas that must hold
// from here on; a step chooses how each is kept. A run of it is accepting if no `until` is put off
// forever, so a state has a continuation if it reaches a strongly connected component in which each
// `until` is fulfilled, or not asked for, by some transition. The subsets of states that have one,
// after each letter, make a deterministic automaton that is violated where nothing is left. The
// same of the negated formula says where it is satisfied; the product of the two is the monitor.
// Exponential in the formula, as it must be; fails beyond kMostStates.
#pragma once

#include "base/diagnostic.h"
#include "property_language/automaton.h"
#include "property_language/formula.h"

namespace foretell::property_language {

Result<Automaton> future_monitor(const Formula& formula, const Alphabet& alphabet);

}  // namespace foretell::property_language

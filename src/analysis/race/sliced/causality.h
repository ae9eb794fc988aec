// SPDX-License-Identifier: Apache-2.0

// Sliced causality of one property (SLICED 2.4 and 3.1): the order of the events that it is about.
//
// A property sees some events of a trace, the *relevant* ones, with or without their values. Their
// *closure* adds every event that some of them depends upon, directly or not; of a relevant event
// without a value only what decides whether it happens counts (dependences.h). Sliced causality is
// the order that dependence and the order in each thread make of the closure. The smaller the
// closure, the fewer orders remain.
//
//   relevant set and closure   definitions 2 (filtering function) and 5
//   vector clocks              definition 6; e before e' iff the clock of e' counts e (theorem 2)
//   offline                    a backward pass for the closure and a forward pass for the clocks
//   online                     one pass without looking ahead: an event becomes important when a
//                              later one turns out to depend upon it, and clocks that were issued
//                              since must be computed again (figure 4). That is counted
//
// The document's rules of 3.1 also order every pair of conflicting accesses of a variable, which
// would leave no race for 4.2 to find; here an access without a value has no such edge.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "analysis/race/sliced/dependences.h"
#include "clocks/vector_clock.h"
#include "trace/event.h"

namespace foretell::analysis::sliced {

// alpha: which events a property sees, and whether it sees their values.
struct Filter {
  std::function<bool(const trace::Event&)> is_relevant;
  bool with_values = false;
};

enum class Importance : uint8_t {
  none,
  relevant,  // without a value, and nothing relevant depends upon it
  needed,    // with its value
};

// By node.
std::vector<Importance> closure_of(std::span<const trace::Event> events,
                                   const Dependences& dependences, const Filter& filter);

// By event: its clock, empty outside of the closure. A thread's component counts its events in the
// closure. An event may be in it twice: as the property sees it, and with its value because something
// depends upon that. What orders only its value does not order it as it is seen.
struct Causality {
  std::vector<Importance> importance;
  std::vector<clocks::VectorClock> clock;
  std::vector<clocks::VectorClock> seen;  // as the property sees it; empty if it does not
  uint64_t backtracked = 0;               // online: clocks that were computed again

  // `b` as it is seen, if it is.
  bool is_before(std::span<const trace::Event> events, size_t a, size_t b) const;
};

Causality offline_causality(std::span<const trace::Event> events, const Dependences& dependences,
                            const Filter& filter);

// Reads the events from the first to the last, and the direct dependences of an event only with it.
Causality online_causality(std::span<const trace::Event> events, const Dependences& dependences,
                           const Filter& filter);

}  // namespace foretell::analysis::sliced

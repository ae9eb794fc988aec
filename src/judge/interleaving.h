// SPDX-License-Identifier: Apache-2.0

// How the judge writes down a sequence of events of one trace.
#pragma once

#include <cstdint>
#include <vector>

namespace foretell::judge {

// Position of an event in Trace::events. (Event::index is its position in the input.)
using Position = uint32_t;

inline constexpr Position kNoPosition = ~Position{0};

// A sequence of events of a trace, by position.
using Interleaving = std::vector<Position>;

// The same for long ones, which mostly begin as the recorded run did: every event before `recorded`
// in recorded order, then `steps`.
struct Reordering {
  Position recorded = 0;
  Interleaving steps = {};

  size_t size() const { return recorded + steps.size(); }
  // The same with every event from position `from` on as a step.
  Reordering written_out(Position from) const {
    Reordering all{from};
    for (Position p = from; p < recorded; ++p) all.steps.push_back(p);
    all.steps.insert(all.steps.end(), steps.begin(), steps.end());
    return all;
  }
  // Every event of it.
  Interleaving written_out() const { return written_out(0).steps; }

  bool operator==(const Reordering&) const = default;
};

}  // namespace foretell::judge

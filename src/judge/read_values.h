// SPDX-License-Identifier: Apache-2.0

// ReadValues: which reads may return the value they returned from another write, or anything
// (docs/semantics.md, "What reads demand").
//
// Writes of one location that store one value are a *class*, the initial value being like a write.
// A read whose value is known may be served by any write of its class. A class of one is none: then
// only the read's own writer can serve it. What is no member of a class:
//   - an access of which the value is not known, or that was split into several cells: all cells of
//     an access are read at one instant, and a class looks at one cell;
//   - a word that may be an address, unless it points into a recorded allocation: the same life of
//     the same memory, at the same offset. Another schedule has other addresses;
//   - the initial value, unless a read has shown it or the program's image has zeros there.
//
// One walk over the trace; tables by position only if there is something to tell.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "judge/interleaving.h"
#include "trace/read_demand.h"
#include "trace/trace.h"

namespace foretell::judge {

struct ReadRules {
  trace::ReadDemand demand = trace::ReadDemand::same_writer;
  // ReadDemand::free: the plain reads that may return anything. Not given: all of them. The others
  // keep their writer: what a write stores that computes from a freed read is not known.
  std::function<bool(Position)> is_free = {};
};

class ReadValues {
 public:
  static constexpr uint32_t kOwnWriter = 0;   // no other write can serve the read
  static constexpr uint32_t kAnything = ~0u;  // the read is free
  static constexpr uint32_t kNoClass = 0;     // of a write

  ReadValues() = default;  // every read keeps its writer
  // `writers`: by position, the write that a read returned, or kNoPosition.
  ReadValues(const trace::Trace& trace, std::span<const Position> writers, size_t locations,
             const ReadRules& rules);

  // Whether some read may have another writer than in the trace.
  bool is_any_flexible() const { return !wanted_.empty(); }
  // The class whose writes can serve the read, kOwnWriter or kAnything.
  uint32_t wanted(Position read) const { return wanted_.empty() ? kOwnWriter : wanted_[read]; }
  bool keeps_writer(Position read) const { return wanted(read) == kOwnWriter; }
  // The class of a write; of the initial value of a location.
  uint32_t stored(Position write) const { return stored_.empty() ? kNoClass : stored_[write]; }
  uint32_t initial(LocationId location) const {
    return initial_.empty() ? kNoClass : initial_[to_index(location)];
  }
  // Whether a read that is not its writer's can return what `writer` (kNoPosition: nobody) left.
  bool serves(Position writer, Position read, LocationId location) const {
    const uint32_t value = wanted(read);
    if (value == kOwnWriter || value == kAnything) return value == kAnything;
    return value == (writer == kNoPosition ? initial(location) : stored(writer));
  }
  // The writes of a class, in the order of the trace.
  std::span<const Position> writes_of(uint32_t value) const { return writes_[value - 1]; }

 private:
  class Classes;
  void free_reads(const trace::Trace& trace, const ReadRules& rules);

  std::vector<uint32_t> wanted_, stored_;      // by position
  std::vector<uint32_t> initial_;              // by location
  std::vector<std::vector<Position>> writes_;  // by class, from 1
};

}  // namespace foretell::judge

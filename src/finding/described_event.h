// SPDX-License-Identifier: Apache-2.0

// Events, interleavings and orders in names instead of ids: the parts a finding is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "finding/operation.h"

namespace foretell::finding {

struct HeldLock {
  std::string name;
  bool shared = false;
  std::string site = {};  // where it was acquired; may be empty

  bool operator==(const HeldLock&) const = default;
};

// A call on the way to an event.
struct StackFrame {
  std::string function;  // may be empty
  std::string site;      // "race.cpp:8:15"; may be empty

  bool operator==(const StackFrame&) const = default;
};

// An event as a person reads it.
struct DescribedEvent {
  EventIndex index = kNoEvent;
  std::string thread;
  std::string thread_name = {};  // what the program calls it; may be empty
  Operation operation;
  std::string object;           // the location, lock, thread, ... it is about; may be empty
  std::string site;             // "race.cpp:8:15"; may be empty
  std::string function = {};    // the site lies in; may be empty
  std::string expression = {};  // what is accessed, as the source writes it; may be empty
  std::vector<HeldLock> locks;
  std::optional<uint64_t> value;
  std::vector<StackFrame> stack = {};  // innermost first, the event's own place; empty: unknown

  bool operator==(const DescribedEvent&) const = default;
};

// A checked interleaving: all events before `prefix_end` as recorded, then `steps`. Where the
// events of a finding are in it depends on the kind (WitnessEnd).
struct Witness {
  uint64_t prefix_end = 0;
  std::vector<EventIndex> steps;
  std::vector<DescribedEvent> last_steps;  // the end of it, for people

  bool operator==(const Witness&) const = default;
};

// One thing that ordered two threads: a release and the acquire after it, a fork and its thread,
// ...
struct OrderEdge {
  DescribedEvent from, to;
  std::string lock = {};  // given up by `from`, taken by `to`; empty if it is about none
  // The witness has `to`, but not `from` before it: nothing requires this order.
  bool is_broken = false;

  bool operator==(const OrderEdge&) const = default;
};

// How the recorded run had the two accesses of a race, as far as it is known.
struct RecordedOrder {
  enum class Kind : uint8_t {
    unknown,
    unordered,  // nothing synchronized one with the other
    ordered,    // by the edges of `path`
  };
  Kind kind = Kind::unknown;
  std::vector<OrderEdge> path = {};
  uint64_t steps_between = 0;

  // The edge that hid the race, if it is known.
  const OrderEdge* hiding_edge() const {
    for (const OrderEdge& edge : path) {
      if (edge.is_broken) return &edge;
    }
    return nullptr;
  }

  bool operator==(const RecordedOrder&) const = default;
};

}  // namespace foretell::finding

// SPDX-License-Identifier: Apache-2.0

// What only one kind of finding has. A struct for each row of finding/kinds.def, in a variant.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "finding/described_event.h"
#include "finding/finding.h"
#include "trace/run_facts.h"

namespace foretell::finding {

struct RaceFinding {
  std::string location;
  RecordedOrder recorded = {};
  // Of what is unordered: the atomic write and the read of its value that would order the two
  // accesses with release and acquire. Empty if it is not one such pair.
  std::vector<DescribedEvent> missing_order = {};

  bool operator==(const RaceFinding&) const = default;
};

// One of the two accesses ends the life of the memory, so that the other uses it after its end.
struct MemoryFinding : RaceFinding {
  bool operator==(const MemoryFinding&) const = default;
};

struct DeadlockFinding {
  std::string waits = {};  // what is waited for: "m -> n"; empty if the threads have no order
  bool is_cycle = false;   // each event waits for what the next one's thread holds

  bool operator==(const DeadlockFinding&) const = default;
};

struct AtomicityFinding {
  std::vector<std::string> blocks;  // that are violated, outermost first
  AtomicityPattern pattern = AtomicityPattern::none;

  bool operator==(const AtomicityFinding&) const = default;
};

struct NondeterminismFinding {
  std::string location;
  std::optional<DescribedEvent> seen_write = {};  // whose value the read returned when recorded

  bool operator==(const NondeterminismFinding&) const = default;
};

struct PropertyFinding {
  // What the monitor saw in the run that violates the property.
  struct Step {
    EventIndex index = kNoEvent;
    std::string event;  // "take(q = 5)"
    std::string state;  // of the monitor after it

    bool operator==(const Step&) const = default;
  };
  std::string name;
  std::string about = {};          // what the specification says it is about; may be empty
  std::string formula = {};        // "pattern (take give)*"
  std::string place = {};          // of the property: "pool.prop:3:10"
  std::string binding = {};        // "q = 5"; empty if it has no parameters
  std::string specification = {};  // its text, so that a replay can be held against it
  std::vector<Step> steps = {};    // the last is the one after which it is violated
  bool at_end = false;             // it is violated because the run ends there
  bool recorded = false;           // the recorded run violates it
  bool no_run = false;             // no run satisfies it, and some run had to

  bool operator==(const PropertyFinding&) const = default;
};

// It happened in the recorded run, at the first event.
struct MisuseFinding {
  std::string object;
  trace::Misuse how{};
  std::string other = {};  // a thread that it concerns as well: who holds the lock; may be empty

  bool operator==(const MisuseFinding&) const = default;
};

template <class, class... Details>
using VariantOfRest = std::variant<Details...>;

// In the order of FindingKind: the index of the alternative is the kind.
using FindingDetails = VariantOfRest<void
#define FORETELL_FINDING_KIND(kind, details, ...) , details
#include "finding/kinds.def"
                                     >;

// Fresh ones of a kind.
FindingDetails details_of(FindingKind kind);

// What the finding is about: the location, the innermost block, what is waited for ("m -> n"), the
// property.
std::string name_of(const FindingDetails& details);

}  // namespace foretell::finding

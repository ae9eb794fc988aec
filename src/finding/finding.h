// SPDX-License-Identifier: Apache-2.0

// What analyses report, and what becomes of it on its way to the user.
#pragma once

#include <absl/container/inlined_vector.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"

namespace foretell::finding {

enum class FindingKind : uint8_t {
#define FORETELL_FINDING_KIND(kind, ...) kind,
#include "finding/kinds.def"
};

enum class Verdict : uint8_t {
  confirmed,  // happened on the real binary under replay
  unordered,  // the recorded run itself has both accesses of a race, and happens-before orders
              // neither: a data race by the rules of C and C++, which no interleaving shows
  predicted,  // a checked interleaving exists
  possible,   // an analysis suspects it; no schedule that shows it was found
  dismissed,  // the judge has proved that it cannot happen
};

// Where the events of a finding are in its witness.
enum class WitnessEnd : uint8_t {
  at_once,    // its last two steps, about to run together
  blocked,    // after it: waits that never end
  in_order,   // among its steps, in their order
  last_read,  // the first event is its last step
};

// How a block that should be atomic is violated.
enum class AtomicityPattern : uint8_t {
#define FORETELL_ATOMICITY_PATTERN(pattern, word, meaning) pattern,
#include "finding/patterns.def"
};
// What an analysis knows of an event while it streams by.
struct EventRef {
  EventIndex index = kNoEvent;
  ThreadId thread{};
  trace::EventKind kind{};
  SiteId site = kNoSite;

  static EventRef of(const trace::Event& e) { return {e.index, e.thread, e.kind, e.site}; }
  bool operator==(const EventRef&) const = default;
};

// What should be atomic: a block between begin and end events, or a function.
struct BlockName {
  enum class Kind : uint8_t { label, function };
  Kind kind = Kind::label;
  uint32_t id = 0;

  auto operator<=>(const BlockName&) const = default;
  template <class H>
  friend H AbslHashValue(H state, const BlockName& name) {
    return H::combine(std::move(state), name.kind, name.id);
  }
};

// Anything that an analysis proposes to the judge.
//
//   race            events: the two accesses, in trace order
//   deadlock        events: where threads are stuck, if possible each waiting for the thread of the
//                   next one and the last for that of the first
//   atomicity       events: what must happen in this order to show that a block is not atomic; the
//                   first and the last are in the block, those between are of another thread
//   nondeterminism  events: a read, and the write that it could return as well; no second event
//                   stands for the value before all writes
struct Proposal {
  FindingKind kind = FindingKind::race;
  // Races are proposed over and over again, once per iteration of a loop: two need no allocation.
  absl::InlinedVector<EventRef, 2> events;
  LocationId location{};  // races, nondeterminism; atomicity, if one location tells it all

  // Atomicity.
  std::vector<BlockName> blocks = {};  // that are violated, outermost first
  AtomicityPattern pattern = AtomicityPattern::none;
  // Two acquires of one lock, of the intruder and then of the block: where they are both next the
  // intruder can go first. Empty if the events are not between such a pair.
  std::vector<EventRef> meeting = {};
  // Races: happens-before leaves the two unordered in the recorded run.
  bool is_unordered = false;
  // The recorded run shows it up to the last event, and what leads from one event to the next is
  // not all in `events`.
  bool is_indirect = false;

  // Of clashing accesses that an analysis holds to be unordered, in trace order.
  static Proposal race(LocationId location, const EventRef& first, const EventRef& second) {
    return {FindingKind::race, {first, second}, location};
  }
};

// The columns of kinds.def.
struct FindingKindRow {
  FindingKind kind;
  std::string_view word;
  WitnessEnd witness_end;
  std::string_view noun, dismissed;
  std::string_view rule, what, help;
};
std::span<const FindingKindRow> finding_kinds();  // by kind
const FindingKindRow& row_of(FindingKind kind);

std::string_view word_of(FindingKind kind);
std::optional<FindingKind> finding_kind(std::string_view word);
WitnessEnd witness_end_of(FindingKind kind);

std::string_view word_of(Verdict verdict);
std::optional<Verdict> verdict_named(std::string_view word);

std::string_view word_of(AtomicityPattern pattern);
std::string_view meaning_of(AtomicityPattern pattern);
std::optional<AtomicityPattern> pattern_named(std::string_view word);

}  // namespace foretell::finding

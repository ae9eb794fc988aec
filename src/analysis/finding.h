// What analyses report, and what becomes of it on its way to the user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"

namespace foretell {

enum class FindingKind : uint8_t { race, deadlock, atomicity, nondeterminism, property };

enum class Verdict : uint8_t {
  confirmed,  // happened on the real binary under replay
  predicted,  // a checked interleaving exists
  possible,   // only the algorithm's word
};

// What an analysis knows of an event while it streams by.
struct EventRef {
  EventIndex index = kNoEvent;
  ThreadId thread{};
  EventKind kind{};
  SiteId site = kNoSite;

  static EventRef of(const Event& e) { return {e.index, e.thread, e.kind, e.site}; }
  bool operator==(const EventRef&) const = default;
};

// A pair of clashing accesses that an analysis holds to be unordered, in trace order.
struct RaceProposal {
  LocationId location{};
  EventRef first, second;
};

// Anything that an analysis proposes to the judge.
//
//   race            events: the two accesses, in trace order
//   deadlock        events: acquires, each of which wants a lock that the thread of the next one
//                   holds, the last one's by the first's
//   atomicity       events: what must happen in this order to show that a block is not atomic; the
//                   first and the last are in the block
//   nondeterminism  events: a read, and the write that it could return as well; no second event
//                   stands for the value before all writes
struct Proposal {
  FindingKind kind = FindingKind::race;
  std::vector<EventRef> events;
  LocationId location{};  // races, nondeterminism
  LabelId block{};        // atomicity

  static Proposal of(const RaceProposal& race) {
    return {FindingKind::race, {race.first, race.second}, race.location};
  }
};

std::string_view word_of(FindingKind kind);
std::string_view word_of(Verdict verdict);
std::optional<FindingKind> finding_kind(std::string_view word);

}  // namespace foretell

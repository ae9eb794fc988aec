// What analyses report, and what becomes of it on its way to the user.
#pragma once

#include <cstdint>
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

// Acquires that an analysis holds to be able to block each other: each wants a lock that the thread
// of the next one holds, the last one's by the first's.
struct DeadlockProposal {
  std::vector<EventRef> acquires;
};

// Either of them, on its way to the judge.
struct Proposal {
  FindingKind kind = FindingKind::race;
  std::vector<EventRef> events;
  LocationId location{};  // races

  static Proposal of(const RaceProposal& race) {
    return {FindingKind::race, {race.first, race.second}, race.location};
  }
  static Proposal of(const DeadlockProposal& deadlock) {
    return {FindingKind::deadlock, deadlock.acquires, {}};
  }
};

std::string_view word_of(FindingKind kind);
std::string_view word_of(Verdict verdict);

}  // namespace foretell

// Goal: what an interleaving of the trace is wanted for (docs/semantics.md, "What findings mean").
//
//   race      it brings two clashing accesses side by side
//   meeting   it brings two acquires of one lock side by side: either of them can come first
//   order     it contains the given events in the given order
//   deadlock  it ends with the given acquires blocked by each other, in a cycle
//
// A correct reordering may be cut off anywhere, so one that contains events in an order may end
// with the last of them. If that one is a read, it may be asked to return another write than in the
// trace: then the read is the next event of its thread at the end, as are the accesses of a race
// and the acquires of a meeting or a deadlock. A witness lists the reordering and then these
// stopped events.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "order/interleaving.h"

namespace foretell {

struct TraceFacts;

enum class GoalKind : uint8_t { race, meeting, order, deadlock };
// The write that the last event of an order returns, if that event is a read.
enum class LastRead : uint8_t { recorded, another, given };

struct Goal {
  GoalKind kind;
  // deadlock: each wants a lock that the next one's thread holds, the last one's the first holds.
  std::vector<Position> events;
  LastRead last_read = LastRead::recorded;
  Position writer = kNoPosition;  // LastRead::given: it, or the initial value

  static Goal race(Position first, Position second) { return {GoalKind::race, {first, second}}; }
  static Goal meeting(Position first, Position second) {
    return {GoalKind::meeting, {first, second}};
  }
  static Goal order(std::vector<Position> events) { return {GoalKind::order, std::move(events)}; }
  static Goal read_another(Position read) { return {GoalKind::order, {read}, LastRead::another}; }
  static Goal read_given(Position read, Position writer) {
    return {GoalKind::order, {read}, LastRead::given, writer};
  }
  static Goal deadlock(std::vector<Position> acquires) {
    return {GoalKind::deadlock, std::move(acquires)};
  }

  bool stops_at_read() const { return last_read != LastRead::recorded; }
  // Events that are the next ones of their threads at the end.
  std::span<const Position> stopped() const {
    if (kind != GoalKind::order) return events;
    return std::span(events).last(stops_at_read() ? 1 : 0);
  }
  // Events that happen, in this order.
  std::span<const Position> happening() const {
    return std::span(events).first(events.size() - stopped().size());
  }
  // "race", "meeting", "deadlock", "end": to be put into a sentence after "the".
  const char* word() const;
};

// Orders of events that every witness has because of what the goal says.
std::vector<std::pair<Position, Position>> orders_of(const TraceFacts& facts, const Goal& goal);

// Why the goal makes no sense for this trace (its events do not clash, block nobody, ...); empty if
// it does. Puts the acquires of a deadlock into the order of their cycle.
std::string settle_goal(const TraceFacts& facts, Goal& goal);

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

// Goal: what an interleaving of the trace is wanted for (docs/semantics.md, "What findings mean").
//
//   race      it brings two clashing accesses side by side
//   meeting   it brings two acquires of one lock side by side: either of them can come first
//   order     it contains the given events in the given order
//   deadlock  it ends with threads stuck at the given events: only they could help each other
//
// A correct reordering may be cut off anywhere, so one that contains events in an order may end
// with the last of them. If that one is a read, it may be asked to return another write than in the
// trace: then the read is the next event of its thread at the end, as are the accesses of a race
// and the acquires of a meeting or the events of a deadlock. A witness lists the reordering and
// then these stopped events.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "judge/interleaving.h"

namespace foretell::judge {

struct TraceFacts;

enum class GoalKind : uint8_t { race, meeting, order, deadlock };
// The write that the last event of an order returns, if that event is a read.
enum class LastRead : uint8_t { recorded, another, given };

struct Goal {
  GoalKind kind = GoalKind::race;
  // deadlock: each waits for the thread of the next one, the last one for the first's, unless they
  // wait for each other in no such simple way.
  std::vector<Position> events = {};
  LastRead last_read = LastRead::recorded;
  Position writer = kNoPosition;  // LastRead::given: it, or the initial value
  // deadlock: the wakes among the events that wait for a notify; the others were notified and wait
  // for their lock. Not given: whatever leads to a deadlock.
  std::optional<std::vector<Position>> lost = {};

  static Goal race(Position first, Position second) { return {GoalKind::race, {first, second}}; }
  static Goal meeting(Position first, Position second) {
    return {GoalKind::meeting, {first, second}};
  }
  static Goal order(std::vector<Position> events) { return {GoalKind::order, std::move(events)}; }
  static Goal read_another(Position read) { return {GoalKind::order, {read}, LastRead::another}; }
  static Goal read_given(Position read, Position writer) {
    return {GoalKind::order, {read}, LastRead::given, writer};
  }
  static Goal deadlock(std::vector<Position> stuck) {
    return {GoalKind::deadlock, std::move(stuck)};
  }

  // Of a wake of a deadlock.
  bool is_lost(Position wake) const;
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

// Events, other than what comes before the stopped ones in their threads, that must have happened
// at the end because of what the goal says. Nothing if that is impossible.
std::optional<std::vector<Position>> required_by(const TraceFacts& facts, const Goal& goal);

// Why the goal makes no sense for this trace (its events do not clash, block nobody, ...); empty if
// it does. Puts the events of a deadlock into the order of their cycle. If it does not say which
// wakes are lost, see settled_choices.
std::string settle_goal(const TraceFacts& facts, Goal& goal);

// The goal, settled; a deadlock with each choice of lost wakes that makes sense. If there is none,
// `reason` says why.
std::vector<Goal> settled_choices(const TraceFacts& facts, Goal goal, std::string& reason);

}  // namespace foretell::judge

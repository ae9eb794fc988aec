#include "order/goal.h"

#include <algorithm>

#include "order/trace_facts.h"

namespace foretell {
namespace {

// Which of the acquires could be blocked by which other's thread, whatever else happens: what a
// thread holds at one of its events follows from program order.
class CycleOrder {
 public:
  CycleOrder(const TraceFacts& facts, const std::vector<Position>& acquires)
      : facts_(facts), acquires_(acquires), order_{acquires.front()} {}

  std::vector<Position> find() { return extend() ? order_ : std::vector<Position>{}; }

 private:
  bool blocks(Position wanted, Position holder) const {
    const Position begin = facts_.locks.open_section(
        facts_.event(wanted).lock(), facts_.thread_index(holder), facts_.step[holder]);
    return begin != kNoPosition && excludes(facts_.event(wanted).kind, facts_.event(begin).kind);
  }

  bool extend() {
    if (order_.size() == acquires_.size()) return blocks(order_.back(), order_.front());
    for (Position next : acquires_) {
      if (std::ranges::find(order_, next) != order_.end() || !blocks(order_.back(), next)) continue;
      order_.push_back(next);
      if (extend()) return true;
      order_.pop_back();
    }
    return false;
  }

  const TraceFacts& facts_;
  const std::vector<Position>& acquires_;
  std::vector<Position> order_;
};

std::string settle_deadlock(const TraceFacts& facts, Goal& goal) {
  if (goal.events.size() < 2) return "a deadlock needs two acquires";
  for (size_t i = 0; i < goal.events.size(); ++i) {
    const Event& e = facts.event(goal.events[i]);
    if (!begins_section(e.kind)) return "not all of the events acquire a lock";
    if (e.kind == EventKind::WaitEnd && facts.partner[goal.events[i]] == kNoPosition) {
      return "a wait that nothing notified is not blocked by a lock";
    }
    for (size_t j = 0; j < i; ++j) {
      if (facts.event(goal.events[j]).thread == e.thread) return "two acquires are of one thread";
    }
  }
  std::vector<Position> cycle = CycleOrder(facts, goal.events).find();
  if (cycle.empty()) return "the acquires do not wait for each other's locks in a cycle";
  goal.events = std::move(cycle);
  return "";
}

std::string settle_order(const TraceFacts& facts, const Goal& goal) {
  if (goal.events.empty()) return "no events are given";
  for (size_t i = 0; i < goal.events.size(); ++i) {
    if (std::ranges::count(goal.events, goal.events[i]) > 1) return "an event is given twice";
  }
  if (!goal.stops_at_read()) return "";
  const Position read = goal.events.back();
  const LocationId location = facts.event(read).location();
  if (!is_read(facts.event(read).kind)) return "the last event does not read";
  if (goal.last_read == LastRead::given && goal.writer != kNoPosition) {
    const Event& e = facts.event(goal.writer);
    if (!is_write(e.kind) || e.location() != location) return "the read cannot return that event";
  }
  return "";
}

}  // namespace

const char* Goal::word() const {
  switch (kind) {
    case GoalKind::race:
      return "race";
    case GoalKind::meeting:
      return "meeting";
    case GoalKind::order:
      return "end";
    case GoalKind::deadlock:
      return "deadlock";
  }
  return "";
}

std::vector<std::pair<Position, Position>> orders_of(const TraceFacts& facts, const Goal& goal) {
  std::vector<std::pair<Position, Position>> orders;
  const std::span<const Position> happening = goal.happening();
  if (goal.kind == GoalKind::order) {
    for (size_t i = 1; i < happening.size(); ++i) {
      orders.emplace_back(happening[i - 1], happening[i]);
    }
  }
  if (goal.kind == GoalKind::deadlock || goal.kind == GoalKind::meeting) {
    for (Position p : goal.events) {
      const bool is_wake = facts.event(p).kind == EventKind::WaitEnd;
      if (!is_wake || facts.partner[p] == kNoPosition) continue;
      orders.emplace_back(facts.wait_of(p), facts.partner[p]);
    }
  }
  return orders;
}

std::string settle_goal(const TraceFacts& facts, Goal& goal) {
  switch (goal.kind) {
    case GoalKind::race:
      return clash(facts.event(goal.events[0]), facts.event(goal.events[1]))
                 ? ""
                 : "the two events do not clash";
    case GoalKind::meeting:
      return can_meet(facts.event(goal.events[0]), facts.event(goal.events[1]))
                 ? ""
                 : "the two events are not acquires that exclude each other";
    case GoalKind::order:
      return settle_order(facts, goal);
    case GoalKind::deadlock:
      return settle_deadlock(facts, goal);
  }
  return "";
}

}  // namespace foretell

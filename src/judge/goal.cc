// SPDX-License-Identifier: Apache-2.0

#include "judge/goal.h"

#include <algorithm>

#include "judge/trace_facts.h"
#include "trace/waiting.h"

namespace foretell::judge {
namespace {

// Who waits for whom at the end: what a thread holds and has still to do there follows from
// program order.
class WaitsFor {
 public:
  WaitsFor(const TraceFacts& facts, const Goal& goal) : facts_(facts), goal_(goal) {}

  bool between(Position waiting, Position other) const {
    const trace::Event& e = facts_.event(waiting);
    if (waiting == other) return false;
    if (e.kind == trace::EventKind::Join) return facts_.event(other).thread == e.other_thread();
    if (waits_for_lock(waiting)) return holds(other, e);
    return std::ranges::any_of(facts_.helpers(waiting), [&](Position helper) {
      const trace::Event& h = facts_.event(helper);
      const bool counts =
          e.kind != trace::EventKind::BarrierExit || h.generation() == e.generation();
      return counts && h.thread == facts_.event(other).thread &&
             facts_.step[helper] >= facts_.step[other];
    });
  }

  bool waits_for_lock(Position p) const {
    return begins_section(facts_.event(p).kind) && !goal_.is_lost(p);
  }

  // Every thread waits for every other one, directly or through others.
  bool all_for_all() const {
    const std::vector<Position>& events = goal_.events;
    for (Position start : events) {
      std::vector<Position> reached{start};
      for (size_t i = 0; i < reached.size(); ++i) {
        for (Position p : events) {
          const bool is_new = std::ranges::find(reached, p) == reached.end();
          if (is_new && between(reached[i], p)) reached.push_back(p);
        }
      }
      if (reached.size() != events.size()) return false;
    }
    return true;
  }

  // The events so that each waits for the next and the last for the first; empty if there is none.
  std::vector<Position> cycle() const {
    std::vector<Position> order{goal_.events.front()};
    return extend(order) ? order : std::vector<Position>{};
  }

 private:
  bool holds(Position holder, const trace::Event& wanted) const {
    const Position begin =
        facts_.locks.open_section(wanted.lock(), facts_.thread_index(holder), facts_.step[holder]);
    return begin != kNoPosition && excludes(wanted.kind, facts_.event(begin).kind);
  }

  bool extend(std::vector<Position>& order) const {
    if (order.size() == goal_.events.size()) {
      return order.size() == 1 || between(order.back(), order.front());
    }
    for (Position next : goal_.events) {
      if (std::ranges::find(order, next) != order.end() || !between(order.back(), next)) continue;
      order.push_back(next);
      if (extend(order)) return true;
      order.pop_back();
    }
    return false;
  }

  const TraceFacts& facts_;
  const Goal& goal_;
};

std::string settle_deadlock(const TraceFacts& facts, Goal& goal) {
  if (goal.events.empty()) return "a deadlock needs a thread";
  for (size_t i = 0; i < goal.events.size(); ++i) {
    const trace::Event& e = facts.event(goal.events[i]);
    if (!may_wait(e.kind)) return "not all of the events may have to wait";
    if (is_limited(e) && (e.kind != trace::EventKind::WaitEnd || goal.is_lost(goal.events[i]))) {
      return "a wait gives up after some time, or was a try";
    }
    const bool served =
        e.kind == trace::EventKind::WaitEnd || e.kind == trace::EventKind::SemaphoreWait;
    if (served && facts.partner[goal.events[i]] == kNoPosition) {
      return e.kind == trace::EventKind::WaitEnd
                 ? "a wait that nothing notified may end at any time"
                 : "the initial count of the semaphore is enough";
    }
    for (size_t j = 0; j < i; ++j) {
      if (facts.event(goal.events[j]).thread == e.thread) return "two events are of one thread";
    }
  }
  const WaitsFor waits(facts, goal);
  if (goal.events.size() == 1 && waits.waits_for_lock(goal.events[0])) {
    return "a deadlock over locks needs two threads";
  }
  if (goal.events.size() == 1 && facts.event(goal.events[0]).kind != trace::EventKind::WaitEnd) {
    return "nobody else is stuck";
  }
  if (!waits.all_for_all()) return "the threads do not wait for each other in a cycle";
  std::vector<Position> cycle = waits.cycle();
  if (!cycle.empty()) goal.events = std::move(cycle);
  return "";
}

// At or after the event its thread is stuck at.
bool is_held_back(const TraceFacts& facts, const Goal& goal, Position p) {
  return std::ranges::any_of(goal.events, [&](Position stuck) {
    return facts.event(stuck).thread == facts.event(p).thread && facts.step[p] >= facts.step[stuck];
  });
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
    const trace::Event& e = facts.event(goal.writer);
    if (!is_write(e.kind) || e.location() != location) return "the read cannot return that event";
  }
  return "";
}

}  // namespace

bool Goal::is_lost(Position wake) const {
  return lost && std::ranges::find(*lost, wake) != lost->end();
}

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
      if (facts.event(p).kind != trace::EventKind::WaitEnd) continue;
      if (!goal.is_lost(p)) {
        const Position notify = facts.partner[p];
        if (notify != kNoPosition) orders.emplace_back(facts.wait_of(p), notify);
        continue;
      }
      for (Position notify : facts.helpers(p)) {
        if (!is_held_back(facts, goal, notify)) orders.emplace_back(notify, facts.wait_of(p));
      }
    }
  }
  return orders;
}

std::optional<std::vector<Position>> required_by(const TraceFacts& facts, const Goal& goal) {
  std::vector<Position> required;
  if (goal.kind != GoalKind::deadlock && goal.kind != GoalKind::meeting) return required;
  for (Position p : goal.events) {
    const trace::Event& e = facts.event(p);
    if (e.kind == trace::EventKind::WaitEnd && !goal.is_lost(p)) {
      if (facts.partner[p] != kNoPosition) required.push_back(facts.partner[p]);
      continue;
    }
    if (goal.kind == GoalKind::meeting) continue;
    // Nobody else is left to help.
    for (Position helper : facts.helpers(p)) {
      if (is_held_back(facts, goal, helper)) continue;
      required.push_back(helper);
      if (e.kind != trace::EventKind::SemaphoreWait) continue;
      if (facts.partner[helper] == kNoPosition) return {};
      required.push_back(facts.partner[helper]);
    }
    if (e.kind != trace::EventKind::SemaphoreWait) continue;
    for (Position down : facts.downs(e.semaphore())) {
      if (facts.partner[down] == kNoPosition) required.push_back(down);
    }
  }
  return required;
}

std::vector<Goal> settled_choices(const TraceFacts& facts, Goal goal, std::string& reason) {
  std::vector<Goal> choices;
  std::vector<Position> wakes;
  if (goal.kind == GoalKind::deadlock && !goal.lost) {
    for (Position p : goal.events) {
      if (facts.event(p).kind == trace::EventKind::WaitEnd) wakes.push_back(p);
    }
  }
  constexpr size_t kMostWakes = 6;
  const size_t chosen = std::min(wakes.size(), kMostWakes);
  for (uint32_t mask = 0; mask < uint32_t{1} << chosen; ++mask) {
    Goal choice = goal;
    if (goal.kind == GoalKind::deadlock && !goal.lost) {
      choice.lost.emplace();
      for (size_t i = 0; i < chosen; ++i) {
        if (mask >> i & 1) choice.lost->push_back(wakes[i]);
      }
    }
    if (std::string why = settle_goal(facts, choice); why.empty()) {
      choices.push_back(std::move(choice));
    } else if (reason.empty()) {
      reason = std::move(why);
    }
  }
  return choices;
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

}  // namespace foretell::judge

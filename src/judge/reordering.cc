// SPDX-License-Identifier: Apache-2.0

#include "judge/reordering.h"

#include <algorithm>
#include <array>

#include "judge/machine.h"

namespace foretell::judge {
namespace {

// Executes an interleaving but for its last elements, which it then says something about.
class Check {
 public:
  Check(const TraceFacts& facts, const Reordering& order, size_t stopped)
      : facts_(facts), order_(order), machine_(facts, std::min(order.recorded, facts.sound_until)) {
    if (order.recorded < facts.begins_at) {
      violation_ = {order.recorded, "it leaves the recorded run before the excerpt begins"};
    } else if (order.recorded > facts.sound_until) {
      violation_ = {facts.sound_until, "the recorded order is not known to be correct here"};
    } else if (order.steps.size() < stopped) {
      violation_ = {order.size(), "too few events"};
    } else {
      executed_ = order.steps.size() - stopped;
      run();
    }
  }

  // The elements that are not executed.
  std::span<const Position> stopped() const { return std::span(order_.steps).subspan(executed_); }
  const Machine& machine() const { return machine_; }

  void expect(const std::optional<std::string>& reason_against) {
    if (!violation_ && reason_against) violation_ = {end(), *reason_against};
  }

  void expect_order(std::span<const Position> events) {
    const auto steps = std::span(order_.steps).first(executed_);
    size_t earliest = 0;
    for (Position p : events) {
      // The recorded part has its events in the order of their positions.
      size_t place = p;
      if (p >= order_.recorded) {
        const auto found = std::ranges::find(steps, p);
        if (found == steps.end()) return expect("one of the events is missing");
        place = order_.recorded + static_cast<size_t>(found - steps.begin());
      }
      if (place < earliest) return expect("the events are not in the given order");
      earliest = place + 1;
    }
  }

  std::optional<Violation> violation() const { return violation_; }
  explicit operator bool() const { return !violation_; }

 private:
  size_t end() const { return order_.recorded + executed_; }

  void run() {
    const std::span<const Position> steps = order_.steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      const size_t place = order_.recorded + i;
      if (steps[i] >= facts_.ends_at) {
        violation_ = {place, "there is no such event"};
        return;
      }
      if (i >= executed_) continue;
      if (auto reason = machine_.why_not(steps[i])) {
        violation_ = {place, std::move(*reason)};
        return;
      }
      machine_.apply(steps[i]);
    }
  }

  const TraceFacts& facts_;
  const Reordering& order_;
  Machine machine_;
  size_t executed_ = 0;  // of the steps
  std::optional<Violation> violation_;
};

}  // namespace

std::optional<Violation> check_reordering(const TraceFacts& facts, const Reordering& order) {
  return Check(facts, order, 0).violation();
}

std::optional<Violation> check_race_witness(const TraceFacts& facts, const Reordering& order) {
  if (order.steps.size() < 2) return Violation{order.recorded, "a race needs two accesses"};
  Check check(facts, order, 2);
  if (check) check.expect(check.machine().why_no_race(check.stopped()[0], check.stopped()[1]));
  return check.violation();
}

std::optional<Violation> check_meeting_witness(const TraceFacts& facts, const Reordering& order) {
  Check check(facts, order, 2);
  if (check) check.expect(check.machine().why_no_meeting(check.stopped()[0], check.stopped()[1]));
  return check.violation();
}

std::optional<Violation> check_order_witness(const TraceFacts& facts, const Reordering& order,
                                             std::span<const Position> events) {
  Check check(facts, order, 0);
  if (check) check.expect_order(events);
  return check.violation();
}

std::optional<Violation> check_read_witness(const TraceFacts& facts, const Reordering& order,
                                            std::span<const Position> events,
                                            std::optional<Position> writer) {
  Check check(facts, order, 1);
  if (!check) return check.violation();
  check.expect_order(events);
  const Position read = check.stopped()[0];
  check.expect(check.machine().why_no_read(read));
  if (!check) return check.violation();
  const Position last = check.machine().last_writer(facts.event(read).location());
  if (facts.event(read).is_ambiguous()) check.expect("which write it returned is not known");
  if (!writer && last == facts.partner[read]) check.expect("the read returns the recorded write");
  if (writer && last != *writer) check.expect("the read does not return the given write");
  return check.violation();
}

std::optional<Violation> check_deadlock_witness(const TraceFacts& facts, const Reordering& order,
                                                size_t count) {
  Check check(facts, order, count);
  if (check) check.expect(check.machine().why_no_deadlock(check.stopped()));
  for (Position p : check.stopped()) {
    if (!check || facts.event(p).kind != trace::EventKind::WaitEnd) continue;
    const Position wait = facts.wait_of(p);
    if (!check.machine().is_unnotified(wait)) continue;
    for (Position notify : facts.helpers(p)) {
      if (check.machine().happened(notify)) check.expect_order(std::array{notify, wait});
    }
  }
  return check.violation();
}

// Whether the wakes of the goal were notified or not, as it says.
static std::optional<Violation> check_lost(const TraceFacts& facts, const Goal& goal,
                                           const Reordering& order) {
  Check check(facts, order, goal.events.size());
  for (Position p : goal.events) {
    if (facts.event(p).kind != trace::EventKind::WaitEnd) continue;
    if (check.machine().is_unnotified(facts.wait_of(p)) != goal.is_lost(p)) {
      check.expect("a wait is notified that is to be lost, or the other way round");
    }
  }
  return check.violation();
}

std::optional<Violation> check_witness(const TraceFacts& facts, const Goal& goal,
                                       const Reordering& order) {
  const std::span<const Position> stopped = goal.stopped();
  const size_t executed = order.steps.size() - std::min(stopped.size(), order.steps.size());
  if (!std::ranges::equal(std::span(order.steps).subspan(executed), stopped)) {
    return Violation{order.size(), "the interleaving does not end with the events in question"};
  }
  switch (goal.kind) {
    case GoalKind::race:
      return check_race_witness(facts, order);
    case GoalKind::meeting:
      return check_meeting_witness(facts, order);
    case GoalKind::order:
      if (goal.last_read == LastRead::recorded) {
        return check_order_witness(facts, order, goal.events);
      }
      return check_read_witness(
          facts, order, goal.happening(),
          goal.last_read == LastRead::given ? std::optional(goal.writer) : std::nullopt);
    case GoalKind::deadlock:
      if (auto violation = check_deadlock_witness(facts, order, goal.events.size())) {
        return violation;
      }
      return goal.lost ? check_lost(facts, goal, order) : std::nullopt;
  }
  return {};
}

std::optional<Violation> check_reordering(const trace::Trace& trace,
                                          std::span<const Position> order) {
  return check_reordering(TraceFacts(trace), Reordering{0, {order.begin(), order.end()}});
}

std::optional<Violation> check_race_witness(const trace::Trace& trace,
                                            std::span<const Position> order) {
  return check_race_witness(TraceFacts(trace), Reordering{0, {order.begin(), order.end()}});
}

}  // namespace foretell::judge

// SPDX-License-Identifier: Apache-2.0

#include "judge/needs.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::judge {

Needs::Needs(const TraceFacts& facts, const Goal& goal)
    : facts_(facts),
      end_word_(goal.word()),
      limits_(facts.thread_count()),
      ends_(facts.steps_before(facts.ends_at)) {
  for (Position p : goal.stopped()) stop(facts.thread_index(p), facts.step[p]);
  // Nothing needed comes after the last event of an order.
  if (goal.kind == GoalKind::order && goal.stopped().empty()) {
    const Position last = goal.events.back();
    stop(facts.thread_index(last), facts.step[last] + 1);
  }
  if (goal.kind == GoalKind::meeting) meeting_ = goal.events;
  if (!need_frees(goal)) return;
  // A stopped event does not happen, so what it would read does not matter; that it could happen
  // but for its lock or its value does.
  for (Position p : goal.stopped()) {
    const trace::Event& e = facts.event(p);
    const std::vector<Position>& mine = facts.events_of[to_index(e.thread)];
    add_if_any(facts.step[p] > 0 ? mine[facts.step[p] - 1] : facts.fork_of[to_index(e.thread)]);
    if (is_access(e.kind)) add_if_any(facts.alloc_of[to_index(e.location())]);
  }
  const std::optional<std::vector<Position>> required = required_by(facts, goal);
  if (!required) {
    refuse("a post that nobody takes would serve it");
    return;
  }
  for (Position p : *required) add(p);
  if (goal.kind == GoalKind::order) {
    for (Position p : goal.happening()) add(p);
    if (goal.last_read == LastRead::given) add_if_any(goal.writer);
  }
  close();
}

bool Needs::need_frees(const Goal& goal) {
  const std::span<const Position> stopped = goal.stopped();
  if (stopped.empty() || !is_access(facts_.event(stopped.front()).kind)) return true;
  // Each access of a race may miss the free that is its partner, and no other.
  auto frees_needed = [&](Position p) {
    uint32_t frees = facts_.frees_before[p];
    for (Position other : stopped) {
      if (facts_.event(other).kind == trace::EventKind::Free && other < p) --frees;
    }
    return frees;
  };
  const uint32_t frees = frees_needed(stopped.front());
  if (frees != frees_needed(stopped.back())) {
    return refuse("the memory is freed between the two accesses");
  }
  auto all = facts_.frees_of.find(facts_.event(stopped.front()).location());
  if (all == facts_.frees_of.end()) return true;
  if (frees > 0) add(all->second[frees - 1]);
  if (frees < all->second.size()) forbidden_free_ = all->second[frees];
  return true;
}

void Needs::stop(size_t thread, uint32_t end) {
  ends_[thread] = end;
  stopped_.push_back(static_cast<uint32_t>(thread));
  const std::vector<Position> held = facts_.locks.open_sections(thread, end);
  held_.insert(held_.end(), held.begin(), held.end());
}

bool Needs::refuse(std::string reason) {
  if (!contradiction_) contradiction_ = std::move(reason);
  return false;
}

size_t Needs::count() const {
  size_t sum = 0;
  for (uint32_t limit : limits_) sum += limit;
  return sum;
}

Position Needs::ambiguous() const {
  if (!facts_.has_ambiguous_reads) return kNoPosition;
  for (size_t t = 0; t < limits_.size(); ++t) {
    const uint32_t first = facts_.first_ambiguous[t];
    if (first < limits_[t]) return facts_.events_of[t][first];
  }
  return kNoPosition;
}

Position Needs::held_against(Position p) const {
  const trace::Event& e = facts_.event(p);
  for (Position held : held_) {
    const trace::Event& other = facts_.event(held);
    if (other.lock() == e.lock() && other.thread != e.thread && excludes(e.kind, other.kind)) {
      return held;
    }
  }
  return kNoPosition;
}

// Without looking at what it contradicts.
void Needs::add(Position p) {
  const size_t thread = facts_.thread_index(p);
  if (limits_[thread] > facts_.step[p]) return;
  limits_[thread] = facts_.step[p] + 1;
  facts_.needs.raise(p, limits_);
}

void Needs::add_if_any(Position p) {
  if (p != kNoPosition) add(p);
}

bool Needs::require(Position p) {
  if (contradiction_) return false;
  if (is_needed(p)) return true;
  add(p);
  return close();
}

bool Needs::require_recorded(Position p) {
  if (contradiction_) return false;
  const std::vector<uint32_t> steps = facts_.steps_before(p);
  for (size_t t = 0; t < limits_.size(); ++t) limits_[t] = std::max(limits_[t], steps[t]);
  return close();
}

std::string Needs::too_late(size_t thread) const {
  const std::vector<Position>& events = facts_.events_of[thread];
  return fmt::format("event {} must come before the {}, but not before event {}",
                     to_index(facts_.event(events[limits_[thread] - 1]).index), end_word_,
                     to_index(facts_.event(events[ends_[thread]]).index));
}

// Every needed section that excludes the one `mine` begins, by another thread, has to end.
bool Needs::end_sections_against(Position mine) {
  const trace::Event& e = facts_.event(mine);
  for (uint32_t t : facts_.locks.users(e.lock())) {
    if (t == to_index(e.thread) || limits_[t] == 0) continue;
    const Position begin = facts_.locks.last_section(e.lock(), t, limits_[t]);
    if (begin == kNoPosition || !is_open(begin)) continue;
    if (!excludes(e.kind, facts_.event(begin).kind)) continue;
    if (facts_.match[begin] == kNoPosition) {
      return refuse(
          fmt::format("a lock needed at the {} is held elsewhere and never released", end_word_));
    }
    add(facts_.match[begin]);
  }
  return true;
}

bool Needs::close() {
  while (!contradiction_) {
    for (uint32_t t : stopped_) {
      if (limits_[t] > ends_[t]) return refuse(too_late(t));
    }
    if (forbidden_free_ != kNoPosition && is_needed(forbidden_free_)) {
      return refuse(fmt::format("the memory must be freed before the {}", end_word_));
    }
    const size_t before = count();
    for (Position held : held_) {
      if (!end_sections_against(held)) return false;
    }
    for (Position acquire : meeting_) {
      if (!end_sections_against(acquire)) return false;
    }
    if (count() == before) return true;
  }
  return false;
}

}  // namespace foretell::judge

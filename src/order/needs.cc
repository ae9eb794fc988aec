#include "order/needs.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell {

Needs::Needs(const TraceFacts& facts, Position first, Position second)
    : facts_(facts),
      accesses_{first, second},
      racers_{facts.thread_index(first), facts.thread_index(second)},
      limits_(facts.thread_count()) {
  // Each access may miss the free that is its partner, and no other.
  auto frees_needed = [&](Position p, Position other) {
    const bool by_other = facts.event(other).kind == EventKind::Free && other < p;
    return facts.frees_before[p] - (by_other ? 1 : 0);
  };
  frees_at_race_ = frees_needed(first, second);
  if (frees_at_race_ != frees_needed(second, first)) {
    refuse("the memory is freed between the two accesses");
    return;
  }
  for (size_t i : {0, 1}) {
    const std::vector<Position>& events = facts.events_of[racers_[i]];
    const uint32_t limit = facts.step[accesses_[i]];
    for (uint32_t s = 0; s < limit; ++s) {
      const Position p = events[s];
      if (!begins_section(facts.event(p).kind)) continue;
      const Position end = facts.match[p];
      if (end == kNoPosition || facts.step[end] >= limit) {
        held_at_race_[facts.event(p).lock()].push_back(p);
      }
    }
    limits_[racers_[i]] = limit;
    work_.insert(work_.end(), events.begin(), events.begin() + limit);
  }
  for (Position access : accesses_) {
    const LocationId location = facts.event(access).location();
    for (Position p :
         {facts.fork_of[facts.thread_index(access)], facts.alloc_of[to_index(location)]}) {
      if (p != kNoPosition && !require(p)) return;
    }
    if (frees_at_race_ > 0 && !require(facts.frees_of.at(location)[frees_at_race_ - 1])) return;
  }
  drain();
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

Position Needs::held_against(Position p) const {
  const Event& e = facts_.event(p);
  auto it = held_at_race_.find(e.lock());
  if (it == held_at_race_.end()) return kNoPosition;
  for (Position held : it->second) {
    const Event& other = facts_.event(held);
    if (other.thread == e.thread) continue;
    if (begins_exclusive(e.kind) || begins_exclusive(other.kind)) return held;
  }
  return kNoPosition;
}

bool Needs::raise(Position p) {
  const size_t thread = facts_.thread_index(p);
  if (facts_.step[p] < limits_[thread]) return true;
  for (size_t i : {0, 1}) {
    if (thread == racers_[i]) {
      return refuse(fmt::format("event {} must come before the race, but not before event {}",
                                to_index(facts_.event(p).index),
                                to_index(facts_.event(accesses_[i]).index)));
    }
  }
  const std::vector<Position>& events = facts_.events_of[thread];
  work_.insert(work_.end(), events.begin() + limits_[thread], events.begin() + facts_.step[p] + 1);
  limits_[thread] = facts_.step[p] + 1;
  return true;
}

bool Needs::require(Position p) {
  return !contradiction_ && raise(p) && drain();
}

bool Needs::drain() {
  while (!work_.empty()) {
    const Position p = work_.back();
    work_.pop_back();
    if (!add_needs_of(p)) return false;
  }
  return true;
}

bool Needs::need_enters(BarrierId barrier, uint64_t generation) {
  return std::ranges::all_of(facts_.enters(barrier, generation),
                             [&](Position enter) { return raise(enter); });
}

bool Needs::add_needs_of(Position p) {
  const Event& e = facts_.event(p);
  auto raise_if_any = [&](Position q) { return q == kNoPosition || raise(q); };
  if (facts_.step[p] == 0 && !raise_if_any(facts_.fork_of[to_index(e.thread)])) return false;
  if (is_access(e.kind)) {
    const LocationId location = e.location();
    if (e.kind == EventKind::Free && location == facts_.event(accesses_[0]).location() &&
        facts_.frees_before[p] >= frees_at_race_) {
      return refuse("the memory must be freed before the race");
    }
    if (!raise_if_any(facts_.alloc_of[to_index(location)])) return false;
    const uint32_t frees = facts_.frees_before[p];
    if (frees > 0 && !raise(facts_.frees_of.at(location)[frees - 1])) return false;
    if (e.is_ambiguous()) {
      ambiguous_ = p;
      return true;
    }
    return !is_read(e.kind) || raise_if_any(facts_.partner[p]);
  }
  if (begins_section(e.kind)) {
    sections_.push_back(p);
    if (held_against(p) != kNoPosition) {
      if (facts_.match[p] == kNoPosition) {
        return refuse("a lock held at the race is also held elsewhere and never released");
      }
      if (!raise(facts_.match[p])) return false;
    }
    return e.kind != EventKind::WaitEnd || raise_if_any(facts_.partner[p]);
  }
  if (e.kind == EventKind::SemaphoreWait) return raise_if_any(facts_.partner[p]);
  if (e.kind == EventKind::Join) {
    const size_t child = to_index(e.other_thread());
    if (!raise_if_any(facts_.fork_of[child])) return false;
    return facts_.events_of[child].empty() || raise(facts_.events_of[child].back());
  }
  if (e.kind == EventKind::BarrierEnter) {
    return e.generation() == 0 || need_enters(e.barrier(), e.generation() - 1);
  }
  if (e.kind == EventKind::BarrierExit) return need_enters(e.barrier(), e.generation());
  if (e.kind == EventKind::TryFail || e.kind == EventKind::TryFailShared) {
    failed_tries_.push_back(p);
  }
  return true;
}

bool Needs::add_recorded_choices() {
  for (size_t before = 0; before != count();) {
    before = count();
    for (size_t i = 0; i < failed_tries_.size(); ++i) {
      if (!require(facts_.partner[failed_tries_[i]])) return false;
    }
    // By lock: the last needed begin of a section of each kind, in recorded order.
    struct Last {
      Position any = 0, exclusive = 0;
    };
    absl::flat_hash_map<LockId, Last> last;
    for (Position p : sections_) {
      const Event& e = facts_.event(p);
      Last& mine = last[e.lock()];
      mine.any = std::max(mine.any, p);
      if (begins_exclusive(e.kind)) mine.exclusive = std::max(mine.exclusive, p);
    }
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Position p = sections_[i];
      const Event& e = facts_.event(p);
      if (!is_open(p) || facts_.match[p] == kNoPosition || is_racing_thread(to_index(e.thread))) {
        continue;
      }
      auto found = last.find(e.lock());
      if (found == last.end()) continue;
      const Position later = begins_exclusive(e.kind) ? found->second.any : found->second.exclusive;
      if (later > p && !require(facts_.match[p])) return false;
    }
  }
  return true;
}

}  // namespace foretell

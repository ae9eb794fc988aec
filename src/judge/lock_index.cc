// SPDX-License-Identifier: Apache-2.0

#include "judge/lock_index.h"

#include <algorithm>
#include <tuple>

namespace foretell::judge {

LockIndex::OfLock& LockIndex::of(LockId lock) {
  if (to_index(lock) >= locks_.size()) locks_.resize(to_index(lock) + 1);
  return locks_[to_index(lock)];
}

std::vector<LockIndex::Holding>& LockIndex::of_thread(size_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  return threads_[thread];
}

void LockIndex::begin(LockId lock, bool exclusive, size_t thread, uint32_t step, Position p) {
  OfLock& mine = of(lock);
  LockState state = mine.changes.empty() ? LockState{} : mine.changes.back().after;
  if (exclusive) {
    state.exclusive = true;
  } else {
    ++state.shared;
  }
  mine.changes.push_back({p, state});
  mine.sections.push_back({static_cast<uint32_t>(thread), step, p});
  std::vector<Holding>& holdings = of_thread(thread);
  const uint32_t top = holdings.empty() ? kNothing : holdings.back().top;
  held_.push_back({p, top});
  holdings.push_back({step, static_cast<uint32_t>(held_.size() - 1)});
}

void LockIndex::end(LockId lock, bool exclusive, size_t thread, uint32_t step, Position p,
                    Position begun) {
  OfLock& mine = of(lock);
  LockState state = mine.changes.back().after;
  if (exclusive) {
    state.exclusive = false;
  } else {
    --state.shared;
  }
  mine.changes.push_back({p, state});
  std::vector<Holding>& holdings = of_thread(thread);
  holdings.push_back({step, without(holdings.back().top, begun)});
}

uint32_t LockIndex::without(uint32_t top, Position begun) {
  std::vector<Position> above;
  while (held_[top].begin != begun) {
    above.push_back(held_[top].begin);
    top = held_[top].below;
  }
  top = held_[top].below;
  for (; !above.empty(); above.pop_back()) {
    held_.push_back({above.back(), top});
    top = static_cast<uint32_t>(held_.size() - 1);
  }
  return top;
}

void LockIndex::finish() {
  for (OfLock& lock : locks_) {
    std::ranges::sort(lock.sections, {},
                      [](const Section& s) { return std::tuple(s.thread, s.step); });
    for (const Section& s : lock.sections) {
      if (lock.users.empty() || lock.users.back() != s.thread) lock.users.push_back(s.thread);
    }
  }
}

LockState LockIndex::state_before(LockId lock, Position p) const {
  if (p == 0 || to_index(lock) >= locks_.size()) return {};
  const std::vector<Change>& changes = locks_[to_index(lock)].changes;
  auto after = std::ranges::lower_bound(changes, p, {}, &Change::at);
  return after == changes.begin() ? LockState{} : std::prev(after)->after;
}

Position LockIndex::last_section(LockId lock, size_t thread, uint32_t steps) const {
  if (to_index(lock) >= locks_.size()) return kNoPosition;
  const std::vector<Section>& sections = locks_[to_index(lock)].sections;
  auto after =
      std::ranges::lower_bound(sections, std::tuple(static_cast<uint32_t>(thread), steps), {},
                               [](const Section& s) { return std::tuple(s.thread, s.step); });
  if (after == sections.begin() || std::prev(after)->thread != thread) return kNoPosition;
  return std::prev(after)->begin;
}

std::vector<Position> LockIndex::open_sections(size_t thread, uint32_t steps) const {
  std::vector<Position> open;
  if (thread >= threads_.size()) return open;
  const std::vector<Holding>& holdings = threads_[thread];
  auto after = std::ranges::lower_bound(holdings, steps, {}, &Holding::step);
  if (after == holdings.begin()) return open;
  for (uint32_t top = std::prev(after)->top; top != kNothing; top = held_[top].below) {
    open.push_back(held_[top].begin);
  }
  return open;
}

Position LockIndex::open_section(LockId lock, size_t thread, uint32_t steps) const {
  const Position begin = last_section(lock, thread, steps);
  if (begin == kNoPosition) return kNoPosition;
  const std::vector<Position> open = open_sections(thread, steps);
  return std::ranges::find(open, begin) == open.end() ? kNoPosition : begin;
}

const std::vector<uint32_t>& LockIndex::users(LockId lock) const {
  static const std::vector<uint32_t> kNobody;
  return to_index(lock) < locks_.size() ? locks_[to_index(lock)].users : kNobody;
}

}  // namespace foretell::judge

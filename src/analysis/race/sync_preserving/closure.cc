// SPDX-License-Identifier: Apache-2.0

// Ideals: growing a set to the least closed one.
#include <algorithm>
#include <bit>

#include "analysis/race/sync_preserving/ideals.h"

namespace foretell::analysis {

void Ideals::start(uint32_t thread) {
  const Thread& t = threads_[thread];
  work_.base = t.clock;
  Step* steps = work_.steps.data();
  for (size_t row = 0; row < clocks_.blocks_per_clock(); ++row) {
    work_.joined[row] = clocks_.block_number(t.clock, row);
    steps = std::ranges::copy(clocks_.block(t.clock, row), steps).out;
  }
  work_.steps[thread] = t.done;
}

void Ideals::start_empty() {
  work_.base = kEmptyClock;
  std::ranges::fill(work_.joined, clocks_.block_number(kEmptyClock, 0));
  std::ranges::fill(work_.steps, Step{0});
}

void Ideals::forget_raised() {
  for (uint32_t component : work_.raised) work_.is_raised[component] = false;
  work_.raised.clear();
}

void Ideals::raise(size_t component, Step step) {
  if (step <= work_.steps[component]) return;
  work_.steps[component] = step;
  if (work_.is_raised[component]) return;
  work_.is_raised[component] = true;
  work_.raised.push_back(static_cast<uint32_t>(component));
}

void Ideals::join(ClockId clock) {
  if (clock == work_.base) return;
  for (size_t row = 0; row < clocks_.blocks_per_clock(); ++row) {
    if (clocks_.block_number(clock, row) == work_.joined[row]) continue;
    work_.joined[row] = clocks_.block_number(clock, row);
    const StepClocks::Block& block = clocks_.block(clock, row);
    const Step* steps = work_.steps.data() + row * StepClocks::kBlock;
    uint32_t greater = 0;
    for (size_t i = 0; i < StepClocks::kBlock; ++i) {
      greater |= static_cast<uint32_t>(block[i] > steps[i]) << i;
    }
    for (; greater != 0; greater &= greater - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(greater));
      raise(row * StepClocks::kBlock + i, block[i]);
    }
  }
}

void Ideals::add(const Point& point) {
  if (work_.steps[point.thread] >= point.step) return;
  raise(point.thread, point.step);
  join(point.clock);
}

// Ends what `held` stands for if the set contains something that comes after it and excludes it.
bool Ideals::end_if_excluded(uint32_t thread, const Held& held) {
  if (held.mode == Mode::waiting) {
    const Wait& wait = waits_[held.index];
    if (wait.end.step == 0) return false;
    const SectionHistory& notifies = conditions_[ConditionId{wait.condition}].notifies;
    if (!notifies.contains_from(wait.notifies_by_then, false, work_.steps.data())) return false;
    if (work_.steps[wait.end.thread] >= wait.end.step) return false;
    add(wait.end);
    return true;
  }
  const SectionHistory& lock = locks_[LockId{held.lock}];
  const Section& section = lock[held.index];
  if (section.end == 0) return false;
  const bool shared = held.mode == Mode::shared;
  if (!lock.contains_from(held.index + 1, shared, work_.steps.data())) return false;
  add({section.clock, thread, section.end});
  return true;
}

// Ends what `thread` holds where the set leaves it, as far as the set requires it.
bool Ideals::close_thread(uint32_t thread) {
  bool grew = false;
  const std::vector<uint32_t>& held_after = threads_[thread].held_after;
  uint32_t list = held_after[work_.steps[thread]];
  while (list != 0) {
    if (end_if_excluded(thread, held_[list])) {
      grew = true;
      const uint32_t now = held_after[work_.steps[thread]];
      list = now == list ? held_[list].outer : now;
    } else {
      list = held_[list].outer;
    }
  }
  return grew;
}

// False as soon as the set contains that step of `stop_thread`, or what never happens. `open` is
// what the set it began with left open.
bool Ideals::close(uint32_t own, std::span<const Open> open, uint32_t stop_thread, Step stop_step) {
  auto stopped = [&] { return work_.steps[stop_thread] >= stop_step || work_.steps[never_] != 0; };
  if (!keeps_order_) return !stopped();
  for (bool grew = true; grew;) {
    if (stopped()) return false;
    grew = false;
    for (size_t i = 0; i < work_.raised.size(); ++i) {
      const uint32_t thread = work_.raised[i];
      if (thread != own && thread != never_) grew |= close_thread(thread);
    }
    for (const Open& o : open) {
      if (!work_.is_raised[o.thread]) grew |= end_if_excluded(o.thread, held_[o.held]);
    }
  }
  return !stopped();
}

// The set becomes the thread's ideal.
void Ideals::adopt(uint32_t thread) {
  if (!work_.raised.empty()) {
    ++changes_;
    Thread& t = threads_[thread];
    std::erase_if(t.open, [&](const Open& o) { return work_.is_raised[o.thread]; });
    for (uint32_t raised : work_.raised) {
      if (raised == never_) continue;
      uint32_t list = threads_[raised].held_after[work_.steps[raised]];
      for (; list != 0; list = held_[list].outer) t.open.push_back({raised, list});
    }
    // Its own steps are counted apart.
    work_.steps[thread] = clocks_.step(t.clock, thread);
    t.clock = clocks_.make(t.clock, work_.steps.data());
  }
  forget_raised();
}

void Ideals::need_all(uint32_t thread, std::span<const Point> points) {
  if (std::ranges::all_of(points, [&](const Point& p) { return knows(thread, p); })) return;
  start(thread);
  for (const Point& point : points) add(point);
  const Thread& t = threads_[thread];
  close(thread, t.open, static_cast<uint32_t>(never_), UINT32_MAX);
  adopt(thread);
}

// Whether every component of `a` but one is in `b`.
bool Ideals::is_within(ClockId a, ClockId b, uint32_t except) const {
  for (size_t row = 0; row < clocks_.blocks_per_clock(); ++row) {
    if (clocks_.block_number(a, row) == clocks_.block_number(b, row)) continue;
    const StepClocks::Block &mine = clocks_.block(a, row), &theirs = clocks_.block(b, row);
    for (size_t i = 0; i < StepClocks::kBlock; ++i) {
      if (mine[i] > theirs[i] && row * StepClocks::kBlock + i != except) return false;
    }
  }
  return true;
}

void Ideals::unite(Generation& generation) {
  if (generation.united == generation.enters.size()) return;
  start_empty();
  for (const Point& enter : generation.enters) add(enter);
  close(UINT32_MAX, {}, static_cast<uint32_t>(never_), UINT32_MAX);
  generation.open.clear();
  for (uint32_t raised : work_.raised) {
    if (raised == never_) continue;
    uint32_t list = threads_[raised].held_after[work_.steps[raised]];
    for (; list != 0; list = held_[list].outer) generation.open.push_back({raised, list});
  }
  generation.all = clocks_.make(kEmptyClock, work_.steps.data());
  generation.united = generation.enters.size();
  forget_raised();
}

void Ideals::need_generation(uint32_t thread, Generation& generation) {
  unite(generation);
  Thread& t = threads_[thread];
  if (is_within(generation.all, t.clock, thread)) return;
  // Who enters brings along all it needs, so who leaves has nothing of its own to add.
  if (is_within(t.clock, generation.all, thread)) {
    ++changes_;
    t.clock = generation.all;
    t.open = generation.open;
    std::erase_if(t.open, [&](const Open& o) { return o.thread == thread; });
    return;
  }
  start(thread);
  join(generation.all);
  close(thread, t.open, static_cast<uint32_t>(never_), UINT32_MAX);
  adopt(thread);
}

bool Ideals::gather(std::span<const Earlier> stops) {
  for (const Earlier& stop : stops) {
    raise(to_index(stop.thread), stop.step - 1);
    join(stop.ideal);
  }
  return close(UINT32_MAX, {}, static_cast<uint32_t>(never_), UINT32_MAX);
}

void Ideals::forget_gathered() {
  forget_raised();
  start_empty();
}

bool Ideals::exclude_each_other(const Earlier& earlier, ThreadId later) const {
  const Thread& first = threads_[to_index(earlier.thread)];
  const Thread& second = threads_[to_index(later)];
  if (second.held == 0) return false;
  for (uint32_t a = first.held_after[earlier.step - 1]; a != 0; a = held_[a].outer) {
    if (held_[a].mode == Mode::waiting) continue;
    for (uint32_t b = second.held; b != 0; b = held_[b].outer) {
      if (held_[b].mode == Mode::waiting || held_[a].lock != held_[b].lock) continue;
      if (held_[a].mode == Mode::exclusive || held_[b].mode == Mode::exclusive) return true;
    }
  }
  return false;
}

bool Ideals::can_meet(const Earlier& earlier, ThreadId later) {
  const auto self = static_cast<uint32_t>(later), other = static_cast<uint32_t>(earlier.thread);
  start(self);
  raise(other, earlier.step - 1);
  join(earlier.ideal);
  const bool apart = close(self, threads_[self].open, other, earlier.step);
  forget_raised();
  return apart;
}

}  // namespace foretell::analysis

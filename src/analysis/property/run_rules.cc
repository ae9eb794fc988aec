// SPDX-License-Identifier: Apache-2.0

// The rules of docs/semantics.md for cuts: what keeps a step from being done, who could help, and
// with whose steps it does not commute.

#include <algorithm>

#include "analysis/property/run_model.h"

namespace foretell::analysis {

using judge::kNoPosition;
using judge::Position;
using trace::EventKind;

namespace {

constexpr RunModel::Obstacle kEnabled{true, 0};
constexpr RunModel::Obstacle kNever{false, 0};

RunModel::Obstacle waits_for(ThreadSet helpers) {
  return {false, helpers};
}

}  // namespace

ThreadSet RunModel::still(const Words& cut, const Uses& uses, uint32_t Use::* what,
                          size_t but) const {
  ThreadSet threads = 0;
  for (const Use& use : uses) {
    if (use.thread != but && cut[use.thread] < use.*what) threads |= bit(use.thread);
  }
  return threads;
}

Position RunModel::last_writer(const Words& cut, LocationId location) const {
  const size_t i = to_index(location);
  if (tracked_[i] >= 0) {
    const uint32_t word = cut[static_cast<size_t>(tracked_[i])];
    if (word == kForgotten) return judge::kUnknownWriter;
    return word == 0 ? kNoPosition : word - 1;
  }
  if (only_writer_[i] < 0) return kNoPosition;
  // Of one thread: the last one that has happened.
  const std::span<const Position> writes = facts_.writes_of(location);
  const auto end =
      std::ranges::partition_point(writes, [&](Position w) { return happened(cut, w); });
  return end == writes.begin() ? kNoPosition : *(end - 1);
}

ThreadSet RunModel::holders(const Words& cut, LockId lock, bool wants_shared) const {
  ThreadSet threads = 0;
  for (const SectionsOfThread& of_thread : sections_[to_index(lock)]) {
    const uint32_t done = cut[of_thread.thread];
    const auto& sections = of_thread.sections;
    // The last one that has begun; of one thread they may overlap only in shared mode.
    auto after =
        std::ranges::partition_point(sections, [&](const Section& s) { return s.begin < done; });
    while (after != sections.begin()) {
      const Section& s = *--after;
      if (s.end >= done && !(wants_shared && s.shared)) threads |= bit(of_thread.thread);
      if (!s.shared) break;
    }
  }
  return threads;
}

bool RunModel::is_unnotified(const Words& cut, Position wait) const {
  const size_t thread = facts_.thread_index(wait);
  return cut[thread] == kept_step_[wait] + 1 &&
         !(cut[notified_word_ + thread / 32] >> thread % 32 & 1);
}

RunModel::Obstacle RunModel::obstacle(const Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const size_t thread = facts_.thread_index(p);
  const Position fork = facts_.fork_of[thread];
  if (cut[thread] == 0 && fork != kNoPosition && !happened(cut, fork)) {
    return waits_for(bit_of(fork));
  }
  if (!recorded_before_.empty()) {
    for (Position earlier : recorded_before_[p]) {
      if (!happened(cut, earlier)) return waits_for(bit_of(earlier));
    }
  }
  if (is_access(e.kind)) return access_obstacle(cut, p);
  switch (e.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      return lock_obstacle(cut, p);
    case EventKind::WaitEnd:
      return wake_obstacle(cut, p);
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return notify_obstacle(cut, p);
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
      return barrier_obstacle(cut, p);
    case EventKind::Join: {
      const size_t other = to_index(e.other_thread());
      const Position forked = facts_.fork_of[other];
      if (forked != kNoPosition && !happened(cut, forked)) return waits_for(bit_of(forked));
      return cut[other] == steps_[other].size() ? kEnabled : waits_for(bit(other));
    }
    case EventKind::SemaphoreWait: {
      const Position post = facts_.partner[p];
      return post == kNoPosition || happened(cut, post) ? kEnabled : waits_for(bit_of(post));
    }
    default:
      return kEnabled;
  }
}

RunModel::Obstacle RunModel::access_obstacle(const Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const Position alloc = facts_.alloc_of[to_index(e.location())];
  if (alloc != kNoPosition && !happened(cut, alloc)) return waits_for(bit_of(alloc));
  if (const auto it = facts_.frees_of.find(e.location()); it != facts_.frees_of.end()) {
    uint32_t freed = 0;
    ThreadSet to_come = 0;
    for (Position free : it->second) {
      if (happened(cut, free)) {
        ++freed;
      } else if (free != p) {
        to_come |= bit_of(free);
      }
    }
    if (freed > facts_.frees_before[p]) return kNever;
    if (freed < facts_.frees_before[p]) return waits_for(to_come);
  }
  if (!is_read(e.kind)) return kEnabled;
  if (causality_ == Causality::any_reads && is_plain_access(e.kind)) return kEnabled;
  if (e.is_ambiguous()) return kNever;
  if (facts_.serves(last_writer(cut, e.location()), p)) return kEnabled;
  const Position writer = facts_.partner[p];
  ThreadSet to_come = 0;
  if (writer != kNoPosition && !happened(cut, writer)) to_come |= bit_of(writer);
  if (!facts_.values.keeps_writer(p)) {
    to_come |=
        still(cut, location_uses_[to_index(e.location())], &Use::changes, facts_.thread_index(p));
  }
  return to_come == 0 ? kNever : waits_for(to_come);
}

RunModel::Obstacle RunModel::lock_obstacle(const Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const size_t thread = facts_.thread_index(p);
  const bool shared = e.kind == EventKind::AcquireShared || e.kind == EventKind::TryFailShared;
  const ThreadSet held = holders(cut, e.lock(), shared);
  if (e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared) {
    if (held == 0) return kEnabled;
    // What the thread holds itself it does not give up before this.
    return held & bit(thread) ? kNever : waits_for(held);
  }
  if (held != 0) return kEnabled;
  return waits_for(still(cut, lock_uses_[to_index(e.lock())], &Use::changes, thread));
}

RunModel::Obstacle RunModel::wake_obstacle(const Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const Position server = facts_.partner[p];
  if (server != kNoPosition && is_unnotified(cut, facts_.wait_of(p))) {
    return happened(cut, server) ? kNever : waits_for(bit_of(server));
  }
  const ThreadSet held = holders(cut, e.lock(), false);
  return held == 0 ? kEnabled : waits_for(held);
}

RunModel::Obstacle RunModel::notify_obstacle(const Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const Uses& uses = condition_uses_[to_index(e.condition())];
  const Position served = e.kind == EventKind::NotifyOne ? facts_.partner[p] : kNoPosition;
  bool any = false, own = false, unknown = false;
  for (const Use& use : uses) {
    if (cut[use.thread] == 0) continue;
    const Position wait = steps_[use.thread][cut[use.thread] - 1];
    const trace::Event& w = facts_.event(wait);
    if (w.kind != EventKind::WaitBegin || w.condition() != e.condition()) continue;
    if (!is_unnotified(cut, wait)) continue;
    any = true;
    own = own || (served != kNoPosition && facts_.wait_of(served) == wait);
    unknown =
        unknown || (!facts_.waited_unnotified(wait, p) && facts_.wake_of(wait) != kNoPosition);
  }
  const bool allowed = e.kind == EventKind::NotifyAll ? !unknown
                       : !any                         ? true
                       : served == kNoPosition        ? facts_.found_waiter.contains(p)
                                                      : own;
  if (allowed) return kEnabled;
  return waits_for(still(cut, uses, &Use::any, facts_.thread_index(p)));
}

RunModel::Obstacle RunModel::barrier_obstacle(const Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const bool entering = e.kind == EventKind::BarrierEnter;
  if (entering && e.generation() == 0) return kEnabled;
  ThreadSet missing = 0;
  for (Position enter : facts_.enters(e.barrier(), e.generation() - (entering ? 1 : 0))) {
    if (!happened(cut, enter)) missing |= bit_of(enter);
  }
  return missing == 0 ? kEnabled : waits_for(missing);
}

// A step that changes nothing (a read, a failed try) never hinders another one, so doing it as soon
// as it can be done loses no order of the others. The same holds for what only ever helps: forks,
// joins, posts, barriers, allocations, the end of a section where no try must fail because of it.
ThreadSet RunModel::conflicting(const Words& cut, Position p) const {
  const trace::Event& e = facts_.event(p);
  const size_t thread = facts_.thread_index(p);
  ThreadSet threads = visible_[p] ? with_visible(cut) & ~bit(thread) : 0;
  if (is_write(e.kind) || e.kind == EventKind::Free) {
    threads |= still(cut, location_uses_[to_index(e.location())], &Use::any, thread);
  }
  switch (e.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      return threads | still(cut, lock_uses_[to_index(e.lock())], &Use::any, thread);
    case EventKind::Release:
    case EventKind::ReleaseShared:
      return threads | still(cut, lock_uses_[to_index(e.lock())], &Use::failures, thread);
    case EventKind::WaitBegin:
      return threads | still(cut, lock_uses_[to_index(e.lock())], &Use::failures, thread) |
             still(cut, condition_uses_[to_index(e.condition())], &Use::any, thread);
    case EventKind::WaitEnd:
      return threads | still(cut, lock_uses_[to_index(e.lock())], &Use::any, thread) |
             still(cut, condition_uses_[to_index(e.condition())], &Use::any, thread);
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return threads | still(cut, condition_uses_[to_index(e.condition())], &Use::any, thread);
    default:
      return threads;
  }
}

}  // namespace foretell::analysis

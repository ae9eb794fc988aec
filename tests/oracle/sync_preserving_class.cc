// SPDX-License-Identifier: Apache-2.0

#include "sync_preserving_class.h"

#include <algorithm>

namespace foretell::oracle {
namespace {

bool begins_section(const trace::Event& e) {
  return e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::AcquireShared ||
         e.kind == trace::EventKind::WaitEnd;
}

bool ends_section(const trace::Event& e) {
  return e.kind == trace::EventKind::Release || e.kind == trace::EventKind::ReleaseShared ||
         e.kind == trace::EventKind::WaitBegin;
}

bool is_notify(const trace::Event& e) {
  return e.kind == trace::EventKind::NotifyOne || e.kind == trace::EventKind::NotifyAll;
}

bool is_of_condition(const trace::Event& e) {
  return is_notify(e) || e.kind == trace::EventKind::WaitBegin ||
         e.kind == trace::EventKind::WaitEnd;
}

class RaceCollector final : public Visitor {
 public:
  explicit RaceCollector(const Semantics& semantics) : semantics_(semantics), class_(semantics) {}

  void visit(const State& state, std::span<const Position>) override {
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      for (uint32_t u = t + 1; u < semantics_.thread_count(); ++u) {
        const auto a = semantics_.next(state, ThreadId{t}), b = semantics_.next(state, ThreadId{u});
        if (!a || !b || !is_access(semantics_.event(*a).kind)) continue;
        if (races_in(semantics_, state, *a, *b)) races.insert(std::minmax(*a, *b));
      }
    }
  }
  bool may_follow(const State& state, Position p) override { return class_.allows(state, p); }

  std::set<Pair> races;

 private:
  const Semantics& semantics_;
  SyncPreservingClass class_;
};

class DeadlockCollector final : public Visitor {
 public:
  explicit DeadlockCollector(const Semantics& semantics)
      : semantics_(semantics), class_(semantics) {}

  void visit(const State& state, std::span<const Position>) override {
    for (std::vector<Position>& stuck : deadlocks_in(semantics_, state)) {
      const bool over_locks = std::ranges::all_of(stuck, [&](Position p) {
        const trace::Event& e = semantics_.event(p);
        return begins_section(e) &&
               (e.kind != trace::EventKind::WaitEnd || state.notified[to_index(e.thread)]);
      });
      if (over_locks) deadlocks.insert(std::move(stuck));
    }
  }
  bool may_follow(const State& state, Position p) override { return class_.allows(state, p); }

  std::set<std::vector<Position>> deadlocks;

 private:
  const Semantics& semantics_;
  SyncPreservingClass class_;
};

}  // namespace

SyncPreservingClass::SyncPreservingClass(const Semantics& semantics)
    : semantics_(semantics), holder_(semantics.size()), met_(semantics.size()) {
  State state = semantics.initial();
  for (Position p = 0; p < semantics.size(); ++p) {
    find_holder(state, p);
    if (is_notify(semantics.event(p))) {
      met_[p] = unnotified(state, semantics.event(p).condition());
    }
    state = semantics.after(state, p);
  }
}

// The thread's own section, or else the one that began first.
void SyncPreservingClass::find_holder(const State& state, Position p) {
  const trace::Event& e = semantics_.event(p);
  if (e.kind != trace::EventKind::TryFail && e.kind != trace::EventKind::TryFailShared) return;
  for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
    if (semantics_.held(state, ThreadId{t}, e.lock()) == Mode::none) continue;
    Position begin = 0;
    for (Position q : semantics_.events_of(ThreadId{t})) {
      if (q < p && begins_section(semantics_.event(q)) && semantics_.event(q).lock() == e.lock()) {
        begin = q;
      }
    }
    if (ThreadId{t} == e.thread) {
      holder_[p] = begin;
      return;
    }
    holder_[p] = std::min(holder_[p].value_or(begin), begin);
  }
}

std::set<Position> SyncPreservingClass::unnotified(const State& state,
                                                   ConditionId condition) const {
  std::set<Position> waits;
  for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
    if (!semantics_.waits(state, ThreadId{t}) || state.notified[t]) continue;
    const Position wait = semantics_.events_of(ThreadId{t})[state.done[t] - 1];
    if (semantics_.event(wait).condition() == condition) waits.insert(wait);
  }
  return waits;
}

bool SyncPreservingClass::allows(const State& state, Position p) const {
  return keeps_sections(state, p) && keeps_holder(state, p) && keeps_condition(state, p) &&
         keeps_waiters(state, p);
}

// Sections of one lock, not both shared, keep their order.
bool SyncPreservingClass::keeps_sections(const State& state, Position p) const {
  const trace::Event& e = semantics_.event(p);
  if (!begins_section(e)) return true;
  for (Position later = p + 1; later < semantics_.size(); ++later) {
    const trace::Event& other = semantics_.event(later);
    if (!begins_section(other) || other.lock() != e.lock()) continue;
    const bool both_shared =
        e.kind == trace::EventKind::AcquireShared && other.kind == trace::EventKind::AcquireShared;
    if (!both_shared && semantics_.happened(state, later)) return false;
  }
  return true;
}

// A failed try happens during the section because of which it failed.
bool SyncPreservingClass::keeps_holder(const State& state, Position p) const {
  if (!holder_[p]) return true;
  const trace::Event& begin = semantics_.event(*holder_[p]);
  if (!semantics_.happened(state, *holder_[p])) return false;
  for (Position q : semantics_.events_of(begin.thread)) {
    if (q > *holder_[p] && ends_section(semantics_.event(q)) &&
        semantics_.event(q).lock() == begin.lock()) {
      return !semantics_.happened(state, q);
    }
  }
  return true;
}

// The events of one condition keep their order.
bool SyncPreservingClass::keeps_condition(const State& state, Position p) const {
  const trace::Event& e = semantics_.event(p);
  if (!is_of_condition(e)) return true;
  for (Position later = p + 1; later < semantics_.size(); ++later) {
    const trace::Event& other = semantics_.event(later);
    if (is_of_condition(other) && other.condition() == e.condition() &&
        semantics_.happened(state, later)) {
      return false;
    }
  }
  return true;
}

// A notify meets no wait that it did not meet in the trace, and if it met several, the one it
// chose.
bool SyncPreservingClass::keeps_waiters(const State& state, Position p) const {
  const trace::Event& e = semantics_.event(p);
  if (!is_notify(e)) return true;
  if (!std::ranges::includes(met_[p], unnotified(state, e.condition()))) return false;
  if (e.kind == trace::EventKind::NotifyAll || met_[p].size() < 2) return true;
  for (Position wait : met_[p]) {
    const auto& mine = semantics_.events_of(semantics_.event(wait).thread);
    const auto wake = std::ranges::upper_bound(mine, wait);
    if (wake != mine.end() && semantics_.server_of(*wake) == p) {
      return semantics_.happened(state, wait);
    }
  }
  return true;
}

std::set<std::vector<Position>> sync_preserving_deadlocks(const Semantics& semantics) {
  DeadlockCollector collector(semantics);
  explore(semantics, collector);
  return std::move(collector.deadlocks);
}

std::set<Pair> sync_preserving_races(const Semantics& semantics) {
  RaceCollector collector(semantics);
  explore(semantics, collector);
  return std::move(collector.races);
}

}  // namespace foretell::oracle

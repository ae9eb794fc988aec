// SPDX-License-Identifier: Apache-2.0

// Machine: docs/semantics.md, "Deadlocks", row by row.
#include <fmt/format.h>

#include <algorithm>

#include "judge/machine.h"
#include "trace/waiting.h"

namespace foretell::judge {

bool Machine::waits_for_lock(Position p) const {
  const trace::EventKind kind = facts_->event(p).kind;
  if (kind == trace::EventKind::WaitEnd) return !is_unnotified(facts_->wait_of(p));
  return begins_section(kind);
}

// The last column of the table.
bool Machine::waits_for(Position p, size_t thread) const {
  const trace::Event& e = facts_->event(p);
  if (to_index(e.thread) == thread) return false;
  if (e.kind == trace::EventKind::Join) return to_index(e.other_thread()) == thread;
  if (waits_for_lock(p)) {
    const Position held = facts_->locks.open_section(e.lock(), thread, done_[thread]);
    return held != kNoPosition && excludes(e.kind, facts_->event(held).kind);
  }
  return std::ranges::any_of(facts_->helpers(p), [&](Position helper) {
    const trace::Event& h = facts_->event(helper);
    const bool counts = e.kind != trace::EventKind::BarrierExit || h.generation() == e.generation();
    return counts && to_index(h.thread) == thread && !happened(helper);
  });
}

std::string_view Machine::stuck_obstacle(Position p, std::span<const Position> stuck) const {
  const trace::Event& e = facts_->event(p);
  if (!is_next(p)) return "is not the next event of its thread";
  if (!was_forked(e.thread)) return "is of a thread that has not been forked";
  const bool served =
      e.kind == trace::EventKind::WaitEnd || e.kind == trace::EventKind::SemaphoreWait;
  if (!may_wait(e.kind)) return "never has to wait";
  // After a notify also a wait with a time limit waits for its lock as long as it takes.
  const bool wants_lock_back = e.kind == trace::EventKind::WaitEnd && waits_for_lock(p);
  if (is_limited(e) && !wants_lock_back) return "gives up after some time";
  // A spurious wake-up may come at any time, and what is left of a semaphore too.
  if (served && facts_->partner[p] == kNoPosition) return "waits for nobody";
  auto waited_for = [&](Position other) { return waits_for(p, facts_->thread_index(other)); };
  const bool needs_somebody = waits_for_lock(p) || e.kind == trace::EventKind::Join ||
                              e.kind == trace::EventKind::BarrierExit;
  if (needs_somebody && std::ranges::none_of(stuck, waited_for)) {
    return "is not kept waiting by the other threads";
  }
  if (waits_for_lock(p)) return "";
  for (Position helper : facts_->helpers(p)) {
    if (!happened(helper)) {
      auto same_thread = [&](Position s) {
        return facts_->thread_index(s) == facts_->thread_index(helper);
      };
      if (std::ranges::none_of(stuck, same_thread)) return "can still be helped by another thread";
    } else if (e.kind == trace::EventKind::SemaphoreWait) {
      const Position down = facts_->partner[helper];
      if (down == kNoPosition || !happened(down)) return "finds a post that nobody has taken";
    }
  }
  if (e.kind == trace::EventKind::SemaphoreWait) {
    for (Position down : facts_->downs(e.semaphore())) {
      if (facts_->partner[down] == kNoPosition && !happened(down)) {
        return "finds something left of the initial count";
      }
    }
  }
  return "";
}

std::optional<std::string> Machine::why_no_deadlock(std::span<const Position> stuck) const {
  if (stuck.empty()) return "a deadlock needs a thread";
  for (Position p : stuck) {
    const std::string_view text = stuck_obstacle(p, stuck);
    if (!text.empty()) return fmt::format("{} {}", described(facts_->trace, p), text);
  }
  for (Position start : stuck) {
    std::vector<Position> reached{start};
    for (size_t i = 0; i < reached.size(); ++i) {
      for (Position p : stuck) {
        const bool is_new = std::ranges::find(reached, p) == reached.end();
        if (is_new && waits_for(reached[i], facts_->thread_index(p))) reached.push_back(p);
      }
    }
    if (reached.size() != stuck.size()) return "not all of the threads wait for each other";
  }
  return {};
}

}  // namespace foretell::judge

// SPDX-License-Identifier: Apache-2.0

#include "report/deadlock_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/lock_order.h"

namespace foretell::report {

bool waits_for_lock(const finding::DescribedEvent& e) {
  return e.operation == trace::EventKind::Request ||
         e.operation == trace::EventKind::RequestShared ||
         e.operation == trace::EventKind::Acquire || e.operation == trace::EventKind::AcquireShared;
}

bool is_cycle(const finding::Finding& f) {
  const auto* deadlock = f.as<finding::DeadlockFinding>();
  return deadlock != nullptr && deadlock->is_cycle;
}

bool is_lost_notify(const finding::Finding& f) {
  return f.events.size() == 1 && f.events[0].operation == trace::EventKind::WaitEnd;
}

LostNotify lost_notify(const finding::Finding& f) {
  LostNotify lost;
  if (!is_lost_notify(f) || !f.witness) return lost;
  const finding::DescribedEvent& wait = f.events[0];
  const std::vector<finding::DescribedEvent>& steps = f.witness->last_steps;
  const auto notify = std::ranges::find_if(steps.rbegin(), steps.rend(), [&](const auto& e) {
    return e.thread != wait.thread && e.object == wait.object &&
           (e.operation == trace::EventKind::NotifyOne ||
            e.operation == trace::EventKind::NotifyAll);
  });
  if (notify != steps.rend()) lost.notify = &*notify;
  // What the thread looked at last that another one changed afterwards.
  auto is_kind = [](const finding::DescribedEvent& e, auto is) {
    const auto kind = e.operation.kind();
    return kind.has_value() && is(*kind);
  };
  for (auto change = steps.rbegin(); change != steps.rend(); ++change) {
    if (change->thread == wait.thread || change->object.empty()) continue;
    if (!is_kind(*change, [](auto kind) { return is_write(kind); })) continue;
    const auto check = std::find_if(change, steps.rend(), [&](const auto& e) {
      return e.thread == wait.thread && e.object == change->object &&
             is_kind(e, [](auto kind) { return is_read(kind); });
    });
    if (check == steps.rend()) continue;
    lost.check = &*check;
    lost.change = &*change;
    break;
  }
  return lost;
}

bool is_known_wait(const finding::DescribedEvent& e) {
  return waits_for_lock(e) || e.operation.silent_wait() != finding::SilentWait::none ||
         e.operation == trace::EventKind::WaitBegin || e.operation == trace::EventKind::WaitEnd ||
         e.operation == trace::EventKind::BarrierEnter ||
         e.operation == trace::EventKind::BarrierExit ||
         e.operation == trace::EventKind::SemaphoreWait || e.operation == trace::EventKind::Join;
}

std::string awaited_text(const finding::DescribedEvent& e) {
  if (e.operation == trace::EventKind::Join) return fmt::format("the end of thread {}", e.object);
  if (e.operation == trace::EventKind::SemaphoreWait)
    return fmt::format("a post of '{}'", e.object);
  if (e.operation == trace::EventKind::BarrierExit ||
      e.operation == trace::EventKind::BarrierEnter) {
    return fmt::format("the others at barrier '{}'", e.object);
  }
  if (e.operation == trace::EventKind::WaitEnd || e.operation == trace::EventKind::WaitBegin) {
    return fmt::format("a notify of '{}'", e.object);
  }
  return fmt::format("'{}'", e.object);
}

std::string deadlock_fix(const finding::Finding& f) {
  if (is_lost_notify(f)) {
    const LostNotify lost = lost_notify(f);
    if (lost.check == nullptr || lost.check->locks.empty()) {
      return "hold the lock of the wait while changing what it checks";
    }
    const std::string& lock = lost.check->locks.back().name;
    const bool is_held = std::ranges::any_of(
        lost.change->locks, [&](const finding::HeldLock& held) { return held.name == lock; });
    const std::string& object =
        lost.check->expression.empty() ? lost.check->object : lost.check->expression;
    if (!is_held) {
      return fmt::format("hold '{}' while changing '{}' at {}", lock, object, lost.change->site);
    }
    return fmt::format("do not give '{}' up between the check of '{}' and the wait", lock, object);
  }
  if (!is_cycle(f)) return "";
  for (const finding::DescribedEvent& e : f.events) {
    if (waits_for_lock(e)) continue;
    // The lock that somebody else of the cycle wants.
    for (const finding::HeldLock& held : e.locks) {
      if (std::ranges::any_of(f.events, [&](const finding::DescribedEvent& other) {
            return waits_for_lock(other) && other.object == held.name;
          })) {
        return fmt::format("release '{}' before waiting for {}", held.name, awaited_text(e));
      }
    }
    return "";
  }
  return lock_order(f);
}

}  // namespace foretell::report

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
    return "hold the lock of the wait while changing what it checks";
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

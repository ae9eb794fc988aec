#include "report/deadlock_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/lock_order.h"

namespace foretell {

bool waits_for_lock(const DescribedEvent& e) {
  return e.operation == EventKind::Request || e.operation == EventKind::RequestShared ||
         e.operation == EventKind::Acquire || e.operation == EventKind::AcquireShared;
}

bool is_cycle(const Finding& f) {
  const auto* deadlock = f.as<DeadlockFinding>();
  return deadlock != nullptr && deadlock->is_cycle;
}

bool is_lost_notify(const Finding& f) {
  return f.events.size() == 1 && f.events[0].operation == EventKind::WaitEnd;
}

bool is_known_wait(const DescribedEvent& e) {
  return waits_for_lock(e) || e.operation.silent_wait() != SilentWait::none ||
         e.operation == EventKind::WaitBegin || e.operation == EventKind::WaitEnd ||
         e.operation == EventKind::BarrierEnter || e.operation == EventKind::BarrierExit ||
         e.operation == EventKind::SemaphoreWait || e.operation == EventKind::Join;
}

std::string awaited_text(const DescribedEvent& e) {
  if (e.operation == EventKind::Join) return fmt::format("the end of thread {}", e.object);
  if (e.operation == EventKind::SemaphoreWait) return fmt::format("a post of '{}'", e.object);
  if (e.operation == EventKind::BarrierExit || e.operation == EventKind::BarrierEnter) {
    return fmt::format("the others at barrier '{}'", e.object);
  }
  if (e.operation == EventKind::WaitEnd || e.operation == EventKind::WaitBegin) {
    return fmt::format("a notify of '{}'", e.object);
  }
  return fmt::format("'{}'", e.object);
}

std::string deadlock_fix(const Finding& f) {
  if (is_lost_notify(f)) {
    return "hold the lock of the wait while changing what it checks";
  }
  if (!is_cycle(f)) return "";
  for (const DescribedEvent& e : f.events) {
    if (waits_for_lock(e)) continue;
    // The lock that somebody else of the cycle wants.
    for (const HeldLock& held : e.locks) {
      if (std::ranges::any_of(f.events, [&](const DescribedEvent& other) {
            return waits_for_lock(other) && other.object == held.name;
          })) {
        return fmt::format("release '{}' before waiting for {}", held.name, awaited_text(e));
      }
    }
    return "";
  }
  return lock_order(f);
}

}  // namespace foretell

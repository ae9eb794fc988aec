#include "report/deadlock_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/lock_order.h"

namespace foretell {

bool waits_for_lock(const DescribedEvent& e) {
  return e.operation == "req" || e.operation == "sreq" || e.operation == "acq" ||
         e.operation == "sacq";
}

std::string awaited_text(const DescribedEvent& e) {
  if (e.operation == "join") return fmt::format("the end of thread {}", e.object);
  if (e.operation == "down") return fmt::format("a post of '{}'", e.object);
  if (e.operation == "leave" || e.operation == "enter") {
    return fmt::format("the others at barrier '{}'", e.object);
  }
  if (e.operation == "wake" || e.operation == "wait") {
    return fmt::format("a notify of '{}'", e.object);
  }
  return fmt::format("'{}'", e.object);
}

std::string deadlock_fix(const Finding& f) {
  if (f.events.size() == 1 && f.events[0].operation == "wake") {
    return "hold the lock of the wait while changing what it checks";
  }
  if (!f.is_cycle) return "";
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

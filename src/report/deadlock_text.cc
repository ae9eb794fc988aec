#include "report/deadlock_text.h"

#include <fmt/format.h>

#include <algorithm>

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
    return "change what the wait looks at with the lock of the wait in hand";
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
  // Each wants a lock that the next one holds.
  if (f.events.size() == 2) {
    return fmt::format("take '{}' before '{}' in both", f.events[1].object, f.events[0].object);
  }
  std::string order;
  for (const DescribedEvent& e : f.events) {
    order += fmt::format("{}'{}'", order.empty() ? "" : ", ", e.object);
  }
  return fmt::format("take {} in one order everywhere", order);
}

}  // namespace foretell

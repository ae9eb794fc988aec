// SPDX-License-Identifier: Apache-2.0

#include "report/lock_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/deadlock_text.h"

namespace foretell::report {

std::string lock_order(const finding::Finding& deadlock) {
  const std::vector<finding::DescribedEvent>& events = deadlock.events;
  if (!is_cycle(deadlock) || events.size() < 2 || !std::ranges::all_of(events, waits_for_lock)) {
    return "";
  }
  const bool same_line = std::ranges::all_of(events, [&](const finding::DescribedEvent& e) {
    return !e.site.empty() && e.site == events[0].site;
  });
  if (same_line) {
    return fmt::format("take {} at once with std::scoped_lock, or in one order (by address)",
                       events.size() == 2 ? "both" : "all");
  }
  // Every thread holds what the one before it wants. The order that all but the last one keep:
  // what the first holds, then what each wants.
  std::string order = fmt::format("'{}'", events.back().object);
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    order += fmt::format(" before '{}'", events[i].object);
  }
  const finding::DescribedEvent& last = events.back();
  std::string text = fmt::format("lock {} everywhere; {} does not", order, last.thread);
  return last.site.empty() ? text : fmt::format("{} ({})", text, last.site);
}

}  // namespace foretell::report

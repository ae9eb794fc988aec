#include "analysis/race/race_candidates.h"

#include <algorithm>

namespace foretell {

void RaceCandidates::propose_all(const Event& second, SyncClocks& clocks) {
  std::ranges::sort(earlier_, {}, &AccessEntry::index);
  if (options_.order_after_race) std::ranges::reverse(earlier_);
  for (const AccessEntry& first : earlier_) {
    if (clocks.clock(second.thread).contains(first.epoch)) continue;
    ++proposed_;
    sink_.propose({second.location(), first.ref(), EventRef::of(second)});
    if (options_.order_after_race) clocks.order_after(first.epoch.thread(), second.thread);
  }
  earlier_.clear();
}

}  // namespace foretell

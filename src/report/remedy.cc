#include "report/remedy.h"

#include <fmt/format.h>

#include "report/lock_order.h"

namespace foretell {

std::string remedy_for(const Finding& finding) {
  if (finding.kind == FindingKind::deadlock) return lock_order(finding);
  if (finding.kind != FindingKind::race || finding.events.size() != 2) return "";
  for (size_t i : {0, 1}) {
    const DescribedEvent& with = finding.events[i];
    const DescribedEvent& without = finding.events[1 - i];
    if (!with.locks.empty() && without.locks.empty() && !with.locks.front().shared) {
      return fmt::format("take '{}' at {} too", with.locks.back().name, without.site);
    }
  }
  const OrderEdge* hiding = finding.recorded.hiding_edge();
  if (hiding != nullptr && !hiding->lock.empty() && finding.events[0].locks.empty() &&
      finding.events[1].locks.empty()) {
    return fmt::format("take '{}' in both places", hiding->lock);
  }
  return "";
}

}  // namespace foretell

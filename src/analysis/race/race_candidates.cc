// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/race_candidates.h"

#include <algorithm>

namespace foretell::analysis {

void RaceCandidates::sort() {
  std::ranges::sort(earlier_, {}, &AccessEntry::index);
  if (options_.order_after_race) std::ranges::reverse(earlier_);
}

}  // namespace foretell::analysis

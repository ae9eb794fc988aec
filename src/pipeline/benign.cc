// SPDX-License-Identifier: Apache-2.0

#include "pipeline/benign.h"

#include <algorithm>

namespace foretell::pipeline {

bool BenignRanges::covers(const trace::Location& cell, const finding::Proposal& race) const {
  const EventIndex second = race.events[1].index;
  return std::ranges::any_of(ranges_, [&](const trace::BenignRange& range) {
    if (range.memory.space != cell.space) return false;
    if (second < range.first || second >= range.end) return false;
    return cell.offset < range.memory.offset + range.memory.size &&
           range.memory.offset < cell.offset + std::max<uint64_t>(cell.size, 1);
  });
}

}  // namespace foretell::pipeline

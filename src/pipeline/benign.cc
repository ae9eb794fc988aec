#include "pipeline/benign.h"

#include <algorithm>

namespace foretell {

bool BenignRanges::covers(const Location& cell, const RaceProposal& race) const {
  return std::ranges::any_of(ranges_, [&](const BenignRange& range) {
    if (range.memory.space != cell.space || race.second.index < range.first ||
        race.second.index >= range.end) {
      return false;
    }
    return cell.offset < range.memory.offset + range.memory.size &&
           range.memory.offset < cell.offset + std::max<uint64_t>(cell.size, 1);
  });
}

}  // namespace foretell

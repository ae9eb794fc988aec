// SPDX-License-Identifier: Apache-2.0

#include "trace/cell_map.h"

#include <algorithm>

namespace foretell::trace {

CellMap::CellMap(const TraceTables& tables) {
  const auto& locations = tables.locations;
  absl::flat_hash_map<StringId, std::vector<LocationId>> spaces;
  std::vector<StringId> order;  // spaces in order of first appearance, for stable ids
  for (uint32_t i = 0; i < locations.size(); ++i) {
    auto& members = spaces[locations[LocationId{i}].space];
    if (members.empty()) order.push_back(locations[LocationId{i}].space);
    members.push_back(LocationId{i});
    identity_ &= locations[LocationId{i}].size == 0;
  }

  spans_.resize(locations.size());
  for (StringId space : order) {
    const auto& members = spaces[space];
    std::vector<uint64_t> cuts;
    for (LocationId id : members) {
      const Location& location = locations[id];
      if (location.size == 0) continue;
      cuts.push_back(location.offset);
      cuts.push_back(location.offset + location.size);
    }
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());

    const auto base = static_cast<uint32_t>(slots_.size());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      slots_.push_back({.range = {space, cuts[i], cuts[i + 1] - cuts[i]}});
    }
    if (cuts.empty()) slots_.push_back({.range = {.space = space}});
    const auto whole = static_cast<uint32_t>(slots_.size()) - base;

    auto slot_at = [&](uint64_t offset) {
      return static_cast<uint32_t>(std::ranges::lower_bound(cuts, offset) - cuts.begin());
    };
    for (LocationId id : members) {
      const Location& location = locations[id];
      if (location.size == 0) {
        spans_[to_index(id)] = {base, whole};
      } else {
        const uint32_t first = slot_at(location.offset);
        const uint32_t last = slot_at(location.offset + location.size);
        spans_[to_index(id)] = {base + first, last - first};
      }
    }
  }
  slot_cells_.assign(slots_.size(), kNoCell);
}

void CellMap::pieces(LocationId raw, std::vector<Piece>& out) {
  out.clear();
  const Span span = spans_[to_index(raw)];
  const uint64_t start = slots_[span.first].range.offset;
  for (uint32_t i = span.first; i < span.first + span.count; ++i) {
    const Slot& slot = slots_[i];
    LocationId& cell = slot_cells_[i];
    if (cell == kNoCell) cell = cells_.add({slot.range, slot.alloc});
    out.push_back({cell, slot.range.offset - start, slot.range.size});
  }
}

void CellMap::allocate(LocationId raw, EventIndex alloc) {
  const Span span = spans_[to_index(raw)];
  for (uint32_t i = span.first; i < span.first + span.count; ++i) {
    slots_[i].alloc = alloc;
    slot_cells_[i] = kNoCell;
  }
}

}  // namespace foretell::trace

// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/block_history.h"

namespace foretell::analysis {

void BlockHistory::add(LockId lock, LockMode mode, ThreadId thread, clocks::Time opened,
                       const AdjustableClock& released) {
  auto& rows = locks_[lock];
  auto row = std::ranges::find_if(
      rows, [&](const Row& r) { return r.thread == thread && r.mode == mode; });
  if (row == rows.end()) row = rows.insert(row, {thread, mode, 0, {}});
  row->ended = released.head().time();
  row->blocks.push_back({opened, released});
  ++size_;
}

template <class Keep>
void BlockHistory::filter(Keep&& keep) {
  size_ = 0;
  for (size_t i = 0; i < locks_.size(); ++i) {
    for (Row& row : locks_[LockId{static_cast<uint32_t>(i)}]) {
      size_t kept = 0;
      for (size_t j = 0; j < row.blocks.size(); ++j) {
        if (j + 1 < row.blocks.size() && !keep(row, j)) continue;
        if (kept != j) row.blocks[kept] = std::move(row.blocks[j]);
        ++kept;
      }
      row.blocks.erase(row.blocks.begin() + static_cast<ptrdiff_t>(kept), row.blocks.end());
      row.blocks.shrink_to_fit();
      size_ += kept;
    }
  }
}

void BlockHistory::prune_known(std::span<const clocks::Time> known) {
  filter([&](const Row& row, size_t j) {
    return row.blocks[j].released.head().time() > known[to_index(row.thread)];
  });
}

void BlockHistory::prune_unused(std::span<const std::vector<clocks::Time>> used, bool inside_only) {
  filter([&](const Row& row, size_t j) {
    const Block& block = row.blocks[j];
    const std::vector<clocks::Time>& times = used[to_index(row.thread)];
    const auto found = std::ranges::lower_bound(times, block.opened);
    const clocks::Time last =
        inside_only ? block.released.head().time() : row.blocks[j + 1].opened - 1;
    return found != times.end() && *found <= last;
  });
}

}  // namespace foretell::analysis

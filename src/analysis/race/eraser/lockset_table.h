// SPDX-License-Identifier: Apache-2.0

// LocksetTable: sets of locks as small numbers, each set stored once.
//
// Programs use few distinct locksets (Savage et al. count hundreds), so a location stores a number
// and an intersection is a look-up after its first time. Memory: the distinct sets and the pairs of
// them that were intersected.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace foretell::analysis {

enum class LocksetId : uint32_t {};
inline constexpr LocksetId kEmptyLockset{0};

class LocksetTable {
 public:
  LocksetTable() { intern({}); }

  // `locks` is sorted and without duplicates.
  LocksetId intern(std::vector<LockId> locks);
  LocksetId intersect(LocksetId a, LocksetId b);
  bool contains(LocksetId set, LockId lock) const {
    const std::vector<LockId>& locks = sets_[static_cast<size_t>(set)];
    return std::binary_search(locks.begin(), locks.end(), lock);
  }

 private:
  std::vector<std::vector<LockId>> sets_;
  absl::flat_hash_map<std::vector<LockId>, LocksetId> ids_;
  absl::flat_hash_map<std::pair<LocksetId, LocksetId>, LocksetId> intersections_;
};

}  // namespace foretell::analysis

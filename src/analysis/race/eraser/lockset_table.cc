// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/eraser/lockset_table.h"

#include <algorithm>
#include <iterator>

namespace foretell::analysis {

LocksetId LocksetTable::intern(std::vector<LockId> locks) {
  auto [it, fresh] = ids_.try_emplace(std::move(locks), LocksetId(sets_.size()));
  if (fresh) sets_.push_back(it->first);
  return it->second;
}

LocksetId LocksetTable::intersect(LocksetId a, LocksetId b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (a == kEmptyLockset) return a;
  auto known = intersections_.find({a, b});
  if (known != intersections_.end()) return known->second;
  std::vector<LockId> both;
  std::ranges::set_intersection(sets_[to_index(a)], sets_[to_index(b)], std::back_inserter(both));
  const LocksetId id = intern(std::move(both));
  intersections_.emplace(std::pair(a, b), id);
  return id;
}

}  // namespace foretell::analysis

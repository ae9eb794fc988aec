// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/heap_blocks.h"

#include <algorithm>

namespace foretell::recording {

uint8_t& HeapBlocks::is_live(LocationId location) {
  if (to_index(location) >= live_.size()) live_.resize(to_index(location) + 1);
  return live_[to_index(location)];
}

LocationId HeapBlocks::allocate(uint64_t address, uint64_t size) {
  size = std::max<uint64_t>(size, 1);
  LocationId location = locations_.find(address, size);
  while (is_live(location)) location = locations_.find(address, ++size);
  is_live(location) = 1;
  allocations_[address] = location;
  return location;
}

HeapBlocks::Freed HeapBlocks::free(uint64_t address) {
  auto [it, is_new] = allocations_.try_emplace(address, LocationId{});
  // Allocated before recording began: how large it is, nobody has said.
  if (is_new) it->second = locations_.find(address, 1);
  if (!is_new && !is_live(it->second)) {
    if (void_frees_used_ == void_frees_.size()) {
      void_frees_.push_back(tables_.intern_variable(locations_.unused_space("freed before")));
    }
    return {void_frees_[void_frees_used_++], false};
  }
  is_live(it->second) = 0;
  return {it->second, true};
}

void HeapBlocks::rewind() {
  allocations_.clear();
  live_.clear();
  void_frees_used_ = 0;
}

}  // namespace foretell::recording

// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/quarantine.h"

#include <stdint.h>

#include "runtime/platform/real.h"

namespace foretell::rt {
namespace {

constexpr size_t kMostBlocks = 1024;
constexpr size_t kMostBytes = 1 << 18;
constexpr size_t kLargestBlock = 1 << 15;
constexpr size_t kSlots = 2 * kMostBlocks;

// The blocks in the order of their frees; null where one was given back out of turn.
struct Block {
  void* memory;
  size_t size;
};
Block blocks_[kMostBlocks];
size_t oldest_ = 0, count_ = 0, bytes_ = 0;

// The same blocks by address: positions in blocks_ plus 1, with open addressing.
uint16_t slots_[kSlots];

size_t home_of(const void* memory) {
  return (reinterpret_cast<uintptr_t>(memory) * 0x9e3779b97f4a7c15 >> 40) % kSlots;
}

size_t slot_of(const void* memory) {
  size_t at = home_of(memory);
  while (slots_[at] != 0 && blocks_[slots_[at] - 1].memory != memory) at = (at + 1) % kSlots;
  return at;
}

// What was pushed on by the entry moves back, so that every entry is found from its home.
void empty_slot(size_t hole) {
  slots_[hole] = 0;
  for (size_t at = (hole + 1) % kSlots; slots_[at] != 0; at = (at + 1) % kSlots) {
    const size_t home = home_of(blocks_[slots_[at] - 1].memory);
    if ((at - home) % kSlots < (at - hole) % kSlots) continue;
    slots_[hole] = slots_[at];
    slots_[at] = 0;
    hole = at;
  }
}

void release(Block& block) {
  if (!block.memory) return;
  empty_slot(slot_of(block.memory));
  void* memory = block.memory;
  bytes_ -= block.size;
  block = {};
  real.free(memory);
}

void release_oldest() {
  Block& block = blocks_[oldest_];
  oldest_ = (oldest_ + 1) % kMostBlocks;
  count_--;
  release(block);
}

}  // namespace

bool keep_back(void* memory) {
  const size_t size = real.malloc_usable_size(memory);
  if (size > kLargestBlock) return false;
  while (count_ == kMostBlocks || bytes_ + size > kMostBytes) release_oldest();
  const size_t at = (oldest_ + count_++) % kMostBlocks;
  blocks_[at] = {memory, size};
  bytes_ += size;
  slots_[slot_of(memory)] = static_cast<uint16_t>(at + 1);
  return true;
}

bool give_back(void* memory) {
  const uint16_t entry = slots_[slot_of(memory)];
  if (entry == 0) return false;
  release(blocks_[entry - 1]);
  return true;
}

}  // namespace foretell::rt

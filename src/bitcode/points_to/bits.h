// SPDX-License-Identifier: Apache-2.0

// A set of small numbers: a sorted list of blocks of 64.
//
// Points-to sets are sparse, and their members lie close together, because the targets of one
// object are numbered one after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretell::bitcode {

class Bits {
 public:
  bool empty() const { return blocks_.empty(); }
  size_t count() const {
    size_t members = 0;
    for (const Block& block : blocks_) members += std::popcount(block.bits);
    return members;
  }
  bool contains(uint32_t number) const {
    const auto at = find(number / 64);
    return at != blocks_.end() && at->index == number / 64 && (at->bits >> number % 64 & 1) != 0;
  }
  // False if it was there.
  bool insert(uint32_t number);

  // Adds the members of `other` that are not in `known`. False if all were there.
  bool add_new(const Bits& other, const Bits& known);
  // Adds the members of `other`. False if all were there.
  bool add(const Bits& other) { return add_new(other, {}); }
  void keep_common(const Bits& other);
  void remove(const Bits& other);

  template <class F>
  void for_each(F visit) const {
    for (const Block& block : blocks_)
      for (uint64_t bits = block.bits; bits != 0; bits &= bits - 1)
        visit(block.index * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
  }
  bool operator==(const Bits&) const = default;

  template <class H>
  friend H AbslHashValue(H state, const Bits& bits) {
    for (const Block& block : bits.blocks_)
      state = H::combine(std::move(state), block.index, block.bits);
    return H::combine(std::move(state), bits.blocks_.size());
  }

 private:
  struct Block {
    uint32_t index;
    uint64_t bits;  // never 0
    bool operator==(const Block&) const = default;
  };

  std::vector<Block>::const_iterator find(uint32_t index) const {
    return std::ranges::lower_bound(blocks_, index, {}, &Block::index);
  }

  std::vector<Block> blocks_;
};

}  // namespace foretell::bitcode

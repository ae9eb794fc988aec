// SPDX-License-Identifier: Apache-2.0

#include "bitcode/points_to/bits.h"

namespace foretell::bitcode {

bool Bits::insert(uint32_t number) {
  const auto at = blocks_.begin() + (find(number / 64) - blocks_.begin());
  const uint64_t bit = uint64_t{1} << number % 64;
  if (at == blocks_.end() || at->index != number / 64) {
    blocks_.insert(at, {number / 64, bit});
    return true;
  }
  if ((at->bits & bit) != 0) return false;
  at->bits |= bit;
  return true;
}

bool Bits::add_new(const Bits& other, const Bits& known) {
  bool grew = false;
  size_t at = 0, in_known = 0;
  std::vector<Block> missing;
  for (const Block& block : other.blocks_) {
    while (in_known < known.blocks_.size() && known.blocks_[in_known].index < block.index)
      in_known++;
    uint64_t bits = block.bits;
    if (in_known < known.blocks_.size() && known.blocks_[in_known].index == block.index)
      bits &= ~known.blocks_[in_known].bits;
    if (bits == 0) continue;
    while (at < blocks_.size() && blocks_[at].index < block.index) at++;
    if (at == blocks_.size() || blocks_[at].index != block.index) {
      missing.push_back({block.index, bits});
    } else if ((bits & ~blocks_[at].bits) != 0) {
      blocks_[at].bits |= bits;
      grew = true;
    }
  }
  if (missing.empty()) return grew;
  // From the back, so that it can be done in place.
  size_t from = blocks_.size(), left = missing.size();
  blocks_.resize(from + left);
  for (size_t to = blocks_.size(); left > 0;) {
    const bool is_old = from > 0 && blocks_[from - 1].index > missing[left - 1].index;
    blocks_[--to] = is_old ? blocks_[--from] : missing[--left];
  }
  return true;
}

void Bits::keep_common(const Bits& other) {
  size_t kept = 0, at = 0;
  for (const Block& block : blocks_) {
    while (at < other.blocks_.size() && other.blocks_[at].index < block.index) at++;
    if (at == other.blocks_.size()) break;
    if (other.blocks_[at].index != block.index) continue;
    const uint64_t bits = block.bits & other.blocks_[at].bits;
    if (bits != 0) blocks_[kept++] = {block.index, bits};
  }
  blocks_.resize(kept);
}

void Bits::remove(const Bits& other) {
  size_t kept = 0, at = 0;
  for (const Block& block : blocks_) {
    while (at < other.blocks_.size() && other.blocks_[at].index < block.index) at++;
    uint64_t bits = block.bits;
    if (at < other.blocks_.size() && other.blocks_[at].index == block.index)
      bits &= ~other.blocks_[at].bits;
    if (bits != 0) blocks_[kept++] = {block.index, bits};
  }
  blocks_.resize(kept);
}

}  // namespace foretell::bitcode

// SPDX-License-Identifier: Apache-2.0

// StepClocks: immutable vector clocks, named by numbers.
//
// A set of events that holds a prefix of every thread is a clock: for each thread, how many of its
// steps it contains. Histories keep one such clock per section, write and access, and most of them
// are equal or differ in one place. So a clock is a number; behind it stands a row of numbers of
// blocks of kBlock components, and a clock that is made from another shares its unchanged blocks.
// Nothing is ever freed: 4 bytes per block of threads for each clock, and 64 for each changed
// block.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace foretell::analysis {

// How many steps of a thread, from its beginning (see analysis/race/sync_preserving/ideals.h).
using Step = uint32_t;

enum class ClockId : uint32_t {};
inline constexpr ClockId kEmptyClock{0};

class StepClocks {
 public:
  static constexpr size_t kBlock = 16;
  using Block = std::array<Step, kBlock>;

  explicit StepClocks(size_t components) : rows_((components + kBlock - 1) / kBlock) {
    blocks_.push_back({});
    clocks_.resize(rows_);
  }

  size_t blocks_per_clock() const { return rows_; }
  size_t clock_count() const { return clocks_.size() / rows_; }

  Step step(ClockId clock, size_t component) const {
    return block(clock, component / kBlock)[component % kBlock];
  }
  // Equal numbers are equal blocks; the converse need not hold.
  uint32_t block_number(ClockId clock, size_t row) const {
    return clocks_[static_cast<size_t>(clock) * rows_ + row];
  }
  const Block& block(ClockId clock, size_t row) const { return blocks_[block_number(clock, row)]; }

  // The clock with these components (a multiple of kBlock), made from `base`.
  ClockId make(ClockId base, const Step* components) {
    const size_t number = clock_count();
    CHECK(number < UINT32_MAX && blocks_.size() + rows_ < UINT32_MAX);
    for (size_t row = 0; row < rows_; ++row, components += kBlock) {
      uint32_t same = block_number(base, row);
      if (!std::equal(components, components + kBlock, blocks_[same].begin())) {
        same = static_cast<uint32_t>(blocks_.size());
        std::copy_n(components, kBlock, blocks_.emplace_back().begin());
      }
      clocks_.push_back(same);
    }
    return ClockId{static_cast<uint32_t>(number)};
  }

 private:
  size_t rows_;
  std::vector<uint32_t> clocks_;  // rows_ numbers of blocks for each clock
  std::vector<Block> blocks_;
};

}  // namespace foretell::analysis

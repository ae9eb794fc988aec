// SPDX-License-Identifier: Apache-2.0

// BlockHistory: the component H of PREDICT 15.2, when each critical section of a lock began and
// ended.
//
// The end of a section on m asks for every other thread: which is its latest section on m whose
// acquire the ending one must come after? Earlier ones follow by program order, so one edge per
// thread is enough (16.1). The answer is the section in which the asking clock's time of that
// thread lies, or the one before it.
//
// Kept are a time and a clock per section, and of those only what can still be an answer (prune()):
//   * A section that every thread has heard the end of gives no edge any more: their later acquires
//     have it in their clocks. Dropping it changes nothing.
//   * If too many are left, those that no clock in use points into are dropped. They could be the
//     answer only to a clock that an edge from an equally old section has yet to extend; then an
//     order is missed.
//   * If still too many are left, a clock must point inside, at an event from acquire to release.
//     A clock that points behind the section already has its end, so the edge only adds it to the
//     events of the asking section that came before the asking thread heard of it.
// So memory follows the clocks in use and not the length of the trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/race/must_before/extra_edges.h"
#include "base/dense_table.h"

namespace foretell::analysis {

// Two shared sections of one lock may overlap, so nothing orders them.
enum class LockMode : uint8_t { exclusive, shared };

class BlockHistory {
 public:
  // A section by `thread`, which is at time `opened` after the acquire.
  void add(LockId lock, LockMode mode, ThreadId thread, clocks::Time opened,
           const AdjustableClock& released);

  // f(AdjustableClock&) for each section that must end before one of `thread` in `mode` begins,
  // which has the clocks `acquire` and `release`: of every other thread the latest whose acquire is
  // before `release`, unless its release is before `acquire` anyway. Returns how many those are.
  template <class F>
  size_t for_each_before(LockId lock, LockMode mode, ThreadId thread,
                         const clocks::VectorClock& acquire, const clocks::VectorClock& release,
                         F&& f) {
    size_t elided = 0;
    for (Row& row : locks_[lock]) {
      if (row.thread == thread) continue;
      if (mode == LockMode::shared && row.mode == LockMode::shared) continue;
      const clocks::Time known = acquire[row.thread];
      if (known >= row.ended) {
        ++elided;
      } else if (Block* block = latest(row, release[row.thread])) {
        if (known >= block->released.head().time()) {
          ++elided;
        } else {
          f(block->released);
        }
      }
    }
    return elided;
  }

  size_t size() const { return size_; }

  // f(AdjustableClock&) for the release of every section kept.
  template <class F>
  void for_each_clock(F&& f) {
    for (size_t i = 0; i < locks_.size(); ++i) {
      for (Row& row : locks_[LockId{static_cast<uint32_t>(i)}]) {
        for (Block& block : row.blocks) f(block.released);
      }
    }
  }

  // Drops all but the newest section of a thread (and mode) that ended at or before known[thread].
  void prune_known(std::span<const clocks::Time> known);
  // Drops, likewise, those that no time of used[thread] points into: none from the acquire to
  // before the next acquire of the lock, or, `inside_only`, to the release. The times ascend.
  void prune_unused(std::span<const std::vector<clocks::Time>> used, bool inside_only);

  // For tests: f(thread, opened, released) by thread, in the order the sections ended.
  template <class F>
  void for_each(LockId lock, F&& f) {
    for (const Row& row : locks_[lock]) {
      for (const Block& block : row.blocks) f(row.thread, block.opened, block.released.clock);
    }
  }

 private:
  struct Block {
    clocks::Time opened;
    AdjustableClock released;
  };
  struct Row {
    ThreadId thread;
    LockMode mode;
    clocks::Time ended;         // the last of the
    std::vector<Block> blocks;  // of one thread and mode, which do not overlap
  };

  static Block* latest(Row& row, clocks::Time time) {
    auto& blocks = row.blocks;
    if (time < blocks.front().opened) return nullptr;
    if (time >= blocks.back().opened) return &blocks.back();
    return &*(std::ranges::upper_bound(blocks, time, {}, &Block::opened) - 1);
  }

  // Keeps the blocks for which keep(row, position) holds, and the last of each row.
  template <class Keep>
  void filter(Keep&& keep);

  DenseTable<std::vector<Row>, LockId> locks_;
  size_t size_ = 0;
};

}  // namespace foretell::analysis

// BlockHistory: the component H of PREDICT 15.2, when each critical section of a lock began and
// ended.
//
// The end of a section on m asks for every other thread: which is its latest section on m whose
// acquire the ending one must come after? Earlier ones follow by program order, so one edge per
// thread is enough (16.1). The answer is the section in which the asking clock's time of that
// thread lies, or the one before it.
//
// Kept are a time and a clock per section. A section that no clock in use points into can be the
// answer only to a clock that an edge from an equally forgotten past is still to extend; prune()
// drops those, so that memory follows the clocks in use and not the length of the trace. The newest
// section of each thread always stays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dense_table.h"
#include "order/vector_clock.h"

namespace foretell {

// Two shared sections of one lock may overlap, so nothing orders them.
enum class LockMode : uint8_t { exclusive, shared };

class BlockHistory {
 public:
  // A section by `thread`: it is at time `opened` after the acquire, at `released` at the release.
  void add(LockId lock, LockMode mode, ThreadId thread, Time opened, const VectorClock& released);

  // f(released) for each section that must end before one of `thread` in `mode` begins, whose end
  // has the clock `release`: of every other thread the latest whose acquire is before `release`.
  template <class F>
  void for_each_before(LockId lock, LockMode mode, ThreadId thread, const VectorClock& release,
                       F&& f) {
    for (const Row& row : locks_[lock]) {
      if (row.thread == thread || (mode == LockMode::shared && row.mode == LockMode::shared))
        continue;
      if (const Block* block = latest(row, release[row.thread])) f(block->released);
    }
  }

  size_t size() const { return size_; }

  // f(VectorClock&) for every clock kept; f may only make it larger.
  template <class F>
  void for_each_clock(F&& f) {
    for (size_t i = 0; i < locks_.size(); ++i) {
      for (Row& row : locks_[LockId{static_cast<uint32_t>(i)}]) {
        for (Block& block : row.blocks) f(block.released);
      }
    }
  }

  // Drops what no clock in use points into. `used` has, by thread, the times that clocks have for
  // it, ascending.
  void prune(std::span<const std::vector<Time>> used);

  // For tests: f(thread, opened, released) by thread, in the order the sections ended.
  template <class F>
  void for_each(LockId lock, F&& f) {
    for (const Row& row : locks_[lock]) {
      for (const Block& block : row.blocks) f(row.thread, block.opened, block.released);
    }
  }

 private:
  struct Block {
    Time opened;
    VectorClock released;
  };
  struct Row {
    ThreadId thread;
    LockMode mode;
    std::vector<Block> blocks;  // of one thread and mode; they do not overlap
  };

  static const Block* latest(const Row& row, Time time) {
    const auto& blocks = row.blocks;
    if (time < blocks.front().opened) return nullptr;
    if (time >= blocks.back().opened) return &blocks.back();
    return &*(std::ranges::upper_bound(blocks, time, {}, &Block::opened) - 1);
  }

  DenseTable<std::vector<Row>, LockId> locks_;
  size_t size_ = 0;
};

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

// NeedClocks: for every event, how many events of each thread a reordering must contain to contain
// it.
//
// The closure of program order and of what an event waits for by itself: its thread's fork, its
// location's allocation and earlier frees, the write it reads, its notify, its post, the enters of
// its barrier generation, all of a joined thread. Locks are not in it: which section comes first is
// a choice. All of these come earlier in the trace, so one walk computes it, like vector clocks.
//
// An event's clock is that of its predecessor in its thread unless it waits for something new, so
// clocks are rows shared by runs of events; a row is a list of blocks of 16 components, shared by
// rows that agree on them. A few bytes per event on ordinary traces.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "judge/interleaving.h"

namespace foretell::judge {

struct TraceFacts;

class NeedClocks {
 public:
  NeedClocks() = default;
  // Of facts that are complete but for this.
  explicit NeedClocks(const TraceFacts& facts);

  // `p` needs the first n events of `thread`, not counting itself.
  uint32_t at(Position p, size_t thread) const {
    return chunks_[block(row_of_[p], thread / kChunk) * kChunk + thread % kChunk];
  }
  // Raises `limits` (by thread) to what `p` needs, not counting its own thread.
  void raise(Position p, std::span<uint32_t> limits) const;

 private:
  static constexpr size_t kChunk = 16;

  size_t block(uint32_t row, size_t i) const { return rows_[size_t{row} * width_ + i]; }
  void need(const TraceFacts& facts, Position p, Position needed);
  void need_enters(const TraceFacts& facts, Position p);
  uint32_t join(uint32_t mine, uint32_t theirs, uint32_t raised, uint32_t to);
  uint32_t new_chunk(const uint32_t* values);

  size_t width_ = 0;              // blocks per row
  std::vector<uint32_t> row_of_;  // by position
  std::vector<uint32_t> rows_;    // width_ numbers of chunks each
  std::vector<uint32_t> chunks_;  // kChunk components each; the first one is all zeros
  uint32_t fresh_from_ = 0;       // rows from here on belong to the event being added only
  // What all enters of a barrier's generation need together, and they themselves: made once for
  // all who leave.
  absl::flat_hash_map<std::pair<BarrierId, uint64_t>, uint32_t> generations_;
};

}  // namespace foretell::judge

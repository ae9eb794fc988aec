// SPDX-License-Identifier: Apache-2.0

// Reduction: a trace without the accesses that add no race (PREDICT, appendix A).
//
// Left out are plain accesses
//   of one thread     their location is used by no other thread in the whole trace
//   read only         nobody writes their location
//   repeated          their thread has accessed the location since its last synchronization, in the
//                     same way or by a write
// Synchronization, atomic accesses, allocation and all other events stay, and begin a new stretch
// of their thread; so do the ends of atomic blocks. An access of several cells (trace/cell_map.h)
// stays if one of them must. A thread that is joined and was not forked keeps one event.
//
// A location has a race under happens-before and under causally-precedes exactly if it has one in
// the reduced trace: the access that stays is in the same epoch and in the same critical sections.
// Who wrote what a read returned may have been left out, so a reduced trace has no values, and what
// its reads saw is not what they saw in the run: it is for comparing sizes and for detectors of
// races, not for determinism or replay.
//
// Two passes over the raw events: look_at every one, then keeps, in the same order.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/dense_table.h"
#include "base/diagnostic.h"
#include "trace/normalizer.h"

namespace foretell::trace {

struct ReductionCounts {
  uint64_t kept = 0, one_thread = 0, read_only = 0, repeated = 0;
};

class Reduction {
 public:
  // `tables` hold every location of the trace, and outlive this.
  explicit Reduction(const TraceTables& tables);

  // The first pass. Fails if the trace is no run.
  Result<void> look_at(const Event& raw);
  // The second one: whether the event stays.
  Result<bool> keeps(const Event& raw);

  // Before the second pass is made again.
  void restart();

  // An event that stays, as it is written.
  static Event without_values(Event raw);

  const ReductionCounts& counts() const { return counts_; }

 private:
  struct Cell {
    std::optional<ThreadId> user;
    bool is_shared = false, is_written = false;
  };
  // The last access of a thread: in which of its stretches, and how.
  struct Access {
    uint64_t stretch = 0;
    bool writes = false;
  };

  struct Progress {
    uint64_t stretches = 0;   // how many it has ended
    bool is_visible = false;  // forked, or in what stays so far
  };

  enum class Reason : uint8_t { must_stay, one_thread, read_only, repeated };

  Result<void> normalize(Normalizer& normalizer, const Event& raw);
  Reason reason_to_leave_out(const Event& piece);

  struct SecondPass {
    explicit SecondPass(const TraceTables& tables)
        : normalizer(tables, std::make_unique<CellMap>(tables)) {}

    Normalizer normalizer;
    DenseTable<Progress, ThreadId> threads;
    DenseTable<absl::flat_hash_map<ThreadId, Access>, LocationId> latest;
  };

  const TraceTables& tables_;
  Normalizer first_;
  std::unique_ptr<SecondPass> second_;
  std::vector<Event> normal_;
  DenseTable<Cell, LocationId> cells_;
  absl::flat_hash_set<ThreadId> joined_;
  ReductionCounts counts_;
};

}  // namespace foretell::trace

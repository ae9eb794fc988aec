// SPDX-License-Identifier: Apache-2.0

// ContendedCells: the locations of a trace that matter to any reordering of it.
//
// An order a -> b is hard if every correct reordering that has b has a before it (docs/semantics.md,
// "Contended locations"): program order, fork, join, barriers, post, notify, and reads-from. Locks are
// not hard. A location (one life of a cell) is contended if
//
//   1. two conflicting accesses of different threads are not in hard order. The allocation and the
//      free count as writes of every cell of the life. Reads-from edges into the later access itself
//      do not count, for any cell it touches: a race's own access need not read what it read;
//   2. or two conflicting accesses are unordered by happens-before (clocks/sync_clocks.h): races by
//      the rules of the language;
//   3. or it has an atomic access, or a read whose write is not known.
//
// Leaving out plain accesses of all other locations changes no verdict: the proof is in
// docs/semantics.md, tests/oracle/contended_vs_oracle_test.cc compares with brute force.
// What is kept although it need not be, because analyses look at it rather than at reorderings:
// locations that several threads use and that some block declared atomic touches.
//
// One pass, two sets of clocks. As in FastTrack, an access is compared with the last write and the
// reads since: if each of those pairs is ordered, all are. A write publishes its thread's hard clock
// for the reads of it. Cost per access: constant, unless a read of another thread's write learns a
// clock. Memory: about 80 bytes for each cell.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/dense_table.h"
#include "clocks/sync_clocks.h"
#include "clocks/vector_clock.h"
#include "trace/event.h"

namespace foretell::clocks {

class ContendedCells {
 public:
  // The allocation that began a location's life, or kNoEvent.
  using AllocationOf = std::function<EventIndex(LocationId)>;
  explicit ContendedCells(AllocationOf allocation_of) : allocation_of_(std::move(allocation_of)) {}

  // Normalized events, in order. The pieces of one access are in one call.
  void on_events(std::span<const trace::Event> events);

  // After the last event. Afterwards only the questions below may be asked; they take a bit for
  // each location.
  void finish() { cells_.reset(); }

  bool is_contended(LocationId location) const {
    return to_index(location) < contended_.size() && contended_[to_index(location)];
  }
  // Whether the event may be left out: a plain access of a location that is not contended, unless it
  // is the first event of its thread (a thread that does nothing is no obstacle to a block around
  // its fork and join; one that does something is).
  bool leaves_out(const trace::Event& e) const {
    if (!is_plain_access(e.kind) || is_contended(e.location())) return false;
    return first_events_[to_index(e.thread)] != e.index;
  }

 private:
  // What one of the two orders knows of a cell.
  struct History {
    Epoch write;  // the last write, free or allocation
    Epoch read;   // since then; the only one unless there are `reads`
    std::unique_ptr<VectorClock> reads;

    bool is_ordered_read(const VectorClock& now) const { return now.contains(write); }
    bool is_ordered_write(const VectorClock& now) const {
      return now.contains(write) && (reads ? reads->leq(now) : now.contains(read));
    }
    void add_read(const VectorClock& now);
    void add_write(const VectorClock& now);
  };
  struct Cell {
    History hard, happens_before;
    VectorClock wrote;  // the hard clock of the last write; reads of it learn it
    ThreadId user{};
    bool is_used = false, is_shared = false, is_in_block = false;
  };

  using CellTable = DenseTable<Cell, LocationId>;

  void access(std::span<const trace::Event> pieces);
  void read(std::span<const trace::Event> pieces);
  void write(std::span<const trace::Event> pieces);
  void update_atomically(const trace::Event& e);
  void learn_write(const trace::Event& read);
  void follow_hard_edges(const trace::Event& e);
  Cell& used_cell(const trace::Event& e);
  void contend(LocationId location);

  AllocationOf allocation_of_;
  SyncClocks happens_before_;
  SyncClocks hard_;  // is told of hard edges only
  std::unique_ptr<CellTable> cells_ = std::make_unique<CellTable>();
  std::vector<bool> contended_;            // by location
  std::vector<EventIndex> first_events_;   // by thread
  DenseTable<uint32_t, ThreadId> blocks_;  // open, by thread
  absl::flat_hash_map<EventIndex, Epoch> allocations_;
};

}  // namespace foretell::clocks

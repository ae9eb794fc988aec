// SPDX-License-Identifier: Apache-2.0

// CellMap: splits locations into cells that coincide or do not overlap.
//
// Accesses of one run overlap in every way: a memset of a struct, a 4-byte store into it, a byte
// load of that. Race rules are about single locations, so each space (a named object, or the
// address space) is cut at every boundary any access has: between two cuts lies a cell, and an
// access is replaced by one access per cell it covers. Memory that is freed and allocated again
// gets new cells, so two lives of one address never clash.
//
// Cost: sorting the distinct locations once, then a look-up per access. A trace whose locations are
// all distinct variables (every text format without ranges) needs no map and keeps its ids.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "trace/tables.h"

namespace foretell::trace {

// One location of a normalized trace.
struct Cell {
  Location range;
  EventIndex alloc = kNoEvent;  // the allocation this life of the memory began with, if recorded
};

using CellTable = RowVector<Cell, LocationId>;

class CellMap {
 public:
  // `tables` must hold every location of the trace.
  explicit CellMap(const TraceTables& tables);

  // True if every location is a cell of its own and ids need no change (as long as nothing is
  // allocated).
  bool is_identity() const { return identity_; }

  // The part of a location's byte range that one of its cells covers.
  struct Piece {
    LocationId cell;
    uint64_t offset;  // from the start of the accessed range
    uint64_t size;    // 0: the cell is a variable without extent
  };

  // The cells an access of `raw` touches now, in address order.
  void pieces(LocationId raw, std::vector<Piece>& out);

  // The cell of a location that is one cell as a whole and was accessed before in this life;
  // nothing otherwise. The short way for nearly every access of a long trace.
  std::optional<LocationId> sole_cell(LocationId raw) const {
    const Span span = spans_[to_index(raw)];
    if (span.count != 1 || slot_cells_[span.first] == kNoCell) return std::nullopt;
    return slot_cells_[span.first];
  }

  // The memory of `raw` starts a new life at `alloc`.
  void allocate(LocationId raw, EventIndex alloc);

  const CellTable& cells() const { return cells_; }

 private:
  // A maximal range with no boundary inside. Its current cell is made at the first access of a
  // life.
  struct Slot {
    Location range;
    EventIndex alloc = kNoEvent;
  };
  static constexpr LocationId kNoCell{UINT32_MAX};
  struct Span {
    uint32_t first = 0, count = 0;
  };

  bool identity_ = true;
  std::vector<Slot> slots_;
  std::vector<LocationId> slot_cells_;  // by slot: its cell in the present life, or kNoCell
  std::vector<Span> spans_;             // raw location -> slots
  CellTable cells_;
};

}  // namespace foretell::trace

// SPDX-License-Identifier: Apache-2.0

// The happens-before edges that equivalent traces share; see equivalents.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "tiddle/compile.h"

namespace foretell::tiddle {

// A part of an access whose value takes part in the consistency of the trace.
struct ValuePiece {
  uint32_t cell;
  bool reads = false, read_known = false;
  bool writes = false, write_known = false;
  uint64_t read_value = 0, written_value = 0;
};

struct ConflictOrder {
  std::vector<std::vector<size_t>> successors;  // by event; program order included
  std::vector<uint32_t> predecessor_count;
  std::vector<uint32_t> thread;                 // by event: dense number of its thread
  std::vector<std::vector<size_t>> by_thread;   // events of each thread
  std::vector<std::vector<ValuePiece>> pieces;  // by event
  // By cell with a read whose value is known: what it holds before the first write, if known.
  std::vector<std::optional<uint64_t>> initial_values;
};

Result<ConflictOrder> conflict_order(const TraceView& trace);

}  // namespace foretell::tiddle

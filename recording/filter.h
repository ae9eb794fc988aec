// SPDX-License-Identifier: Apache-2.0

// Filter: leaves out a read that repeats one of the same thread.
//
// A *segment* of a thread is what it does between two of its synchronizations (any step but an
// access, an entry, an exit or a branch; allocations count). A read is left out if the thread has
// recorded a read of the same bytes in the same segment and they still hold what it read then.
// docs/instrumentation.md says why verdicts stay.
//
// What is left out must not depend on the schedule nor on where memory lies: a schedule counts
// steps, and must mean the same when it is forced on the program. So the filter of a thread does
// not depend on other threads, does not forget entries as a hash table of fixed size would, and is
// switched on and off at fixed counts of the thread's own steps.
//
//   regions   empty cells, and behind them, for each 16 MiB of the address space, how far from
//             these its own are (32 MiB); 0 if it has none
//   cell      16 bytes for each 8 of memory: u32 key, u32 key, 8 bytes as last read. A key is of 4
//             bytes: the segment << 4 | which of them were read in it
//   seen      the key of 4 bytes read in this segment, twice
//
// Around a read the pass emits (hooks.h has the rest):
//
//     if (regions = __foretell_thread.regions) {
//       peek = *address;
//       if (!(offset = table(regions)[address >> 24])) cells = __foretell_new_region(address);
//       else if (cells = regions + offset, they have the keys and `peek`) {
//         if (--__foretell_thread.hits_left < 0) { __foretell_many_hits(); peek again }
//         the value is `peek`; done
//       }
//     }
//     CHECK, ACCESS, RECORD; if (regions) store the keys and the value into the cells
//
// Where nearly nothing repeats, looking costs more than it saves, and the filter is switched off
// for a while.
#pragma once

#include <stdint.h>

#include "record.h"

namespace foretell::filter {

inline constexpr unsigned kRegionShift = 24;
inline constexpr uint64_t kRegionMask = (uint64_t{1} << kRegionShift) - 1;
inline constexpr uint64_t kRegions = uint64_t{1} << (recording::kSiteShift - kRegionShift);
// A cell is for kGrain bytes of memory and has kCellSize: two keys, then the bytes.
inline constexpr uint64_t kGrain = 8;
inline constexpr uint64_t kCellSize = 16;
inline constexpr uint64_t kKeyGrain = 4;  // bytes of memory that have a key of their own
// Cells of a region, and those that an access across its end would have. The next region has others
// for the same bytes, so there, and only there, where memory lies decides: a vector aligned to 8
// that lies across and a read of its second half do not repeat each other.
inline constexpr uint64_t kCellsSize = kCellSize / kGrain * (uint64_t{1} << kRegionShift) + 64;
inline constexpr uint64_t kTableOffset = kCellSize / kGrain * (uint64_t{1} << kRegionShift) + 4096;
inline constexpr uint64_t kValueOffset = 8;
inline constexpr unsigned kKeyBits = 4;
inline constexpr uint32_t kWholeKey = (1 << kKeyBits) - 1;

}  // namespace foretell::filter

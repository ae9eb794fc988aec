// SPDX-License-Identifier: Apache-2.0

// Watching: finds the memory that matters, so that only its accesses are recorded.
//
// Two conflicting accesses matter to a prediction only if something could run them in another
// order. A *hard* order is one that every reordering keeps: program order, creation and joining of
// threads, barriers, notifications, posts. A cell of memory whose conflicting accesses are not all
// hard-ordered is *contended*. What happens to the other cells is the same in every reordering, so
// nobody needs a record of it (docs/runtime.md).
//
// A cell is here a *granule*: kGranule aligned bytes. Neighbors share one, which makes more of them
// contended and never fewer.
//
//   shadow   one word for each granule: who wrote it last (low half) and who read it last (high
//            half), each an *epoch*; 0 if nobody did since all threads but one began
//   epoch    which thread, and in which of its segments: slot << kSegmentBits | segment. Segments
//            count from 1
//   segment  what a thread does between two of its operations that make a hard order
//
// An access by the thread that was the last one there, in the same segment, finds its own epoch,
// and is done: a load and a comparison. A write leaves its epoch in both halves, so that reads that
// follow it find theirs.
#pragma once

#include <stdint.h>

namespace foretell::watching {

// Ends the name of the second body of a function, the one that watches.
inline constexpr char kBodySuffix[] = ".foretell_watching";

inline constexpr uint64_t kGranule = 8;
inline constexpr unsigned kSegmentBits = 21;
inline constexpr uint32_t kLastSegment = (1u << kSegmentBits) - 1;
inline constexpr uint32_t kMostSlots = 1u << 10;
// In the low half: other threads have read the granule too, and a side table says which. Epochs do
// not have this bit.
inline constexpr uint32_t kMoreReaders = 1u << 31;
// Contended, as known before the run: its accesses are recorded.
inline constexpr uint64_t kRecorded = ~uint64_t{0};
// Contended, as found in this run: its accesses were not recorded from the beginning.
inline constexpr uint64_t kFound = ~uint64_t{0} - 1;
// No shadow has this in either half: in place of the own epoch, it makes every check fail.
inline constexpr uint64_t kNobody = 0xffff'fff0'ffff'fff0;

// The shadow is a mapping of this size, and an address has its word at its own place modulo it.
// Code, heap, libraries and stacks of a Linux process do not meet there.
inline constexpr uint64_t kShadowSize = uint64_t{1} << 44;

// Frames that are kept of a thread; of deeper recursion the outermost are forgotten.
inline constexpr uint64_t kMostFrames = uint64_t{1} << 20;

// What a body tells the runtime of an access, in one word: the op of its record in the low byte; None:
// it is recorded as a range.
inline constexpr uint32_t kFiltered = 1 << 8;  // of repeats of this read one is enough (filter.h)
inline constexpr uint32_t kWrites = 1 << 9;
inline constexpr uint32_t kHasValue = 1 << 10;
// What the thread does next may depend on the value (pass/deciding.h).
inline constexpr uint32_t kDecides = 1 << 11;
inline constexpr unsigned kSizeShift = 16;  // above: its size in bytes

constexpr uint64_t twice(uint32_t epoch) {
  return epoch * uint64_t{0x1'0000'0001};
}

}  // namespace foretell::watching

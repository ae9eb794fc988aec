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
//         if (--__foretell_thread.hits_left < 0) __foretell_many_hits();
//         the value is `peek`; done
//       }
//     }
//     CHECK, ACCESS, RECORD; if (regions) store the keys and the value into the cells
//
// Where nearly nothing repeats, looking costs more than it saves, and the filter is switched off
// for a while.
#pragma once

#include <stdint.h>

namespace foretell::filter {

inline constexpr unsigned kRegionShift = 24;
inline constexpr uint64_t kRegionMask = (uint64_t{1} << kRegionShift) - 1;
inline constexpr uint64_t kRegions = uint64_t{1} << (47 - kRegionShift);
// Cells of a region, and those that an access across its end would have. The next region has others
// for the same bytes, so there, and only there, where memory lies decides: a vector aligned to 8
// that lies across and a read of its second half do not repeat each other.
inline constexpr uint64_t kCellsSize = (uint64_t{2} << kRegionShift) + 64;
inline constexpr uint64_t kTableOffset = (uint64_t{2} << kRegionShift) + 4096;
inline constexpr uint64_t kValueOffset = 8;
inline constexpr unsigned kKeyBits = 4;
inline constexpr uint32_t kWholeKey = (1 << kKeyBits) - 1;

}  // namespace foretell::filter

namespace foretell::rt {

struct Thread;

// Kept between threads: the next one to use it goes on with its segments.
struct Filter {
  char* regions;
  uint64_t seen;
  struct Region* last;  // of those that have cells
  Filter* next;
};

// What a thread has of it.
struct Filtering {
  Filter* filter = nullptr;
  char* regions = nullptr;  // of the filter, while it is on
  uint64_t seen = 0;
  uint64_t hits = 0;       // before those that are counted in hits_left
  uint64_t hits_then = 0;  // at the last look
  uint64_t steps_then = 0;
  uint64_t next_look = ~uint64_t{0};  // in the thread's own steps
  uint64_t pause = 0;                 // in trials, of the pause that goes on or came last
  uint64_t trial = 0;                 // steps of the trial that goes on or comes next
  uint64_t steps_at_hits = 0;         // at the last call of __foretell_many_hits
};

void begin_filtering(Thread* thread);
void end_filtering(Thread* thread);
// The thread has taken as many steps as `next_look` says.
void look_at_filter(Thread* thread);
// The segments of a filter are used up.
void restart_filter(Thread* thread);
// Writes into the header of the recording how many reads were left out until now.
void count_repeated_reads();
// In the child of a fork.
void forget_filters();

}  // namespace foretell::rt

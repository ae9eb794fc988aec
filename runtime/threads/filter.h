// SPDX-License-Identifier: Apache-2.0

// The filter of repeated reads on the runtime's side (contract: recording/filter.h): where the
// cells of a thread are, and when its filter is on.
#pragma once

#include <stdint.h>

#include "recording/filter.h"

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
// The cells of the 16 MiB around `address`, which had none; null if there is no memory.
char* new_region(Thread* thread, const void* address);
// What the pass emits around a read, for a body that comes to the runtime with it. The cells are looked
// up before the step, null if the filter is off, and noted in after it, if it was on before.
char* cells_of(Thread* thread, const void* address);
bool repeats_a_read(const Thread* thread, char* cells, const void* address, uint64_t size);
void note_read(const Thread* thread, char* cells, const void* address, uint64_t size);
// Of the calling thread, which is null if it is not recorded: hits_left is used up.
void count_many_hits(Thread* thread);
// The thread comes to the runtime before the `number`-th read, from 1, that is left out next.
void stop_at_hit(Thread* thread, uint64_t number);

}  // namespace foretell::rt

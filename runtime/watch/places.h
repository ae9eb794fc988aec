// SPDX-License-Identifier: Apache-2.0

// Places: which variable of the program an address belongs to, by a name that means the same in
// every run (recording/contended.h), and the contended ones among them, known and found.
//
//   image   the program and its libraries    by path, from where it is loaded
//   heap    allocations                      by key; an object is looked through when it ends
//   stack   of a thread                      by its number, from the top
//   tls     of the first thread              from the thread pointer
//
// Touched by the holder of the token only.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace foretell::rt::watch {

// Writes the names of what was found. Objects that live are looked through first.
void write_names(const char* path, bool gave_up);

// Objects come to life: what is known of them is marked as recorded.
void note_images();
void note_first_thread();
void begin_stack(uint32_t thread, uint64_t begin, uint64_t top);
void end_stack(uint32_t thread);
// `word` is what the shadow says of fresh memory.
void begin_object(uint64_t address, uint64_t size, uint64_t key, uint64_t word);
// Its size, or 0 if it is not known.
uint64_t size_of_object(uint64_t address);
// It was looked through; what was found in it is named.
void end_object(uint64_t address);

// The granule has become contended.
void note_found(uint64_t granule);

// Objects and stacks that came to life so far.
extern uint64_t lives;

struct Found {
  uint64_t granules = 0;  // that became contended
  uint64_t deferred = 0;  // of these, in objects that were not looked through yet
};
extern Found found;

// In the child of a fork: the shadow is new, and knows nothing of what lives.
void mark_living();

}  // namespace foretell::rt::watch

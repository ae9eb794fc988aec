// SPDX-License-Identifier: Apache-2.0

// The calls and variables that instrumented code uses: the contract between pass/ and runtime/.
//
// Around an access the pass emits, inline:
//
//     if (--__foretell_thread.fuel < 0) __foretell_check(address);
//     ACCESS                                   // the original instruction; v is its value
//     char* at = __foretell_thread.cursor;     // reloaded: check may have moved it
//     *(T*)(at + 8) = v;                       // value first: the header completes a record
//     *(uint64_t*)at = address + site_bits;    // recording::header_of(address, site)
//     __foretell_thread.cursor = at + 8 + sizeof(T);
//
// where site_bits is the site's number << recording::kSiteShift, from the module's array that
// __foretell_register fills. T has 1, 2, 4 or 8 bytes, and the site's row says which of Read1 ...
// Write8 it is. So a thread is always stopped *before* a step, never in the middle of one.
//
// `fuel` is what makes one subtraction enough: the number of steps until the scheduler wants to
// decide again or the chunk may be full, whichever comes first.
//
// Before the runtime has seen a thread, and whenever recording is off, check leaves cursor at
// scratch memory and fuel at what that takes. So a binary works without Foretell.
//
// That records everything. Every function has a second body, which its entry jumps to if
// __foretell_thread.watching is set, and which only watches (watching.h):
//
//     shadow = __foretell_thread.shadow + (address & __foretell_thread.shadow_mask);
//     read:   if (high half of *shadow != half of epoch) __foretell_watched(address, 0, site, what);
//     write:  if (*shadow != epoch) __foretell_watched(address, value, site, what);
//     ACCESS
//
// (or once before a loop: __foretell_watched_loop), and, at the entry of a function and at the end of each round of a loop,
//
//     if (--__foretell_thread.work < 0) __foretell_work();
//
// because a thread that never comes to the runtime could not be stopped. Entries and exits of
// functions are not recorded there but kept in `frames`, and recorded with the next step.
#pragma once

#include "module.h"

#pragma GCC visibility push(default)
extern "C" {

struct ForetellThread {
  char* cursor;
  int64_t fuel;
  // Site of the call being made, set by the caller before calls to functions that are not known to
  // be uninteresting. Its user (a function's entry, an intercepted function) clears it.
  uint32_t call_site;
  uint32_t reserved;
  // The filter of repeated reads (filter.h).
  char* regions;  // null: every read is recorded
  uint64_t seen;
  int64_t hits_left;
  // Watching (watching.h); all of it is valid while `watching` is not 0.
  uint32_t watching;
  // The runtime's own: the thread has taken a lock in its present segment.
  uint32_t took_lock;
  char* shadow;
  uint64_t shadow_mask;
  uint64_t epoch;    // of the thread's present segment, twice
  int64_t work;      // rounds and calls until the thread must come to the runtime
  uint64_t* frames;  // the calls it is in: the function's site, and the call's << 32
  uint64_t depth;    // how many; only the place modulo watching::kMostFrames has room
  // The runtime's own: by slot, the last segment that the thread knows.
  const uint32_t* known;
};

extern __thread ForetellThread __foretell_thread __attribute__((tls_model("initial-exec")));

// Called by a constructor of priority 0 in each object file; idempotent.
void __foretell_register(const foretell::recording::Module* module);

// The thread has no fuel for the step it is about to take at `address`; returns when it may.
void __foretell_check(const void* address);

// The cells of the 16 MiB around `address`, which had none; null if there is no memory.
char* __foretell_new_region(const void* address);
// hits_left is used up. The caller reads again: others may have run.
void __foretell_many_hits();

// The thread is about to touch memory for which the shadow does not say that it did so in its
// present segment. `what` is put together in watching.h; `value` is what will be written. Preserves
// the general registers, so that a call that is hardly ever made costs little where it is not.
__attribute__((preserve_most)) void __foretell_watched(const void* address, uint64_t value,
                                                       uint32_t site, uint32_t what);
// The same of all accesses of a loop at once, before it: those at first + i * step + j * outer_step
// for i < rounds, j < outer_rounds. 0: some of them are to be recorded, so each is to be watched.
uint32_t __foretell_watched_loop(const void* first, int64_t step, uint64_t rounds,
                                 int64_t outer_step, uint64_t outer_rounds, uint32_t what);
// `work` is used up.
__attribute__((preserve_most)) void __foretell_work();

// Everything below checks by itself and may be called at any time, also with recording off.

// Before the access: memory intrinsics, aggregates, vectors, anything whose contents are not
// recorded.
void __foretell_read_range(const void* address, uint64_t size, uint32_t site);
void __foretell_write_range(const void* address, uint64_t size, uint32_t site);

// Around an atomic instruction: begin, the instruction, then exactly one of the others. A failed
// compare-exchange is a read. In parallel mode begin takes a lock that the end gives back, so that
// the order of records is the order of the instructions.
// `order` is a MemoryOrder. `size` is in bytes; values of other sizes than 1, 2, 4, 8 are passed as
// 0 (recording::AtomicValue).
void __foretell_atomic_begin(const void* address, uint32_t site);
void __foretell_atomic_read(const void* address, uint64_t value, uint32_t size, uint32_t order,
                            uint32_t site);
void __foretell_atomic_write(const void* address, uint64_t value, uint32_t size, uint32_t order,
                             uint32_t site);
void __foretell_atomic_rmw(const void* address, uint64_t read, uint64_t written, uint32_t size,
                           uint32_t order, uint32_t site);
void __foretell_fence(uint32_t order, uint32_t site);

// At the entry of a function (takes call_site) and at every way out of it, exceptions included.
// Inline they are, after the check, 8 bytes without a value: the site bits plus the call site at
// the entry, plus recording::kExitBit at an exit.
void __foretell_enter(uint32_t site);
void __foretell_exit(uint32_t site);
void __foretell_branch(uint64_t way, uint32_t site);
}
#pragma GCC visibility pop

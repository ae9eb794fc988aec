// SPDX-License-Identifier: Apache-2.0

// Reads-from: who wrote what a contended granule holds, and what its readers learn from that.
//
// A read that returned what another thread wrote does so in every reordering in which its value
// matters, so it comes after the write and after all that its thread did before. Only contended
// granules need to be asked: accesses of the others are ordered without. An edge must be real, so
// writers are kept for each byte; whom nobody knows gives none. And only reads that decide what
// their thread does (pass/deciding.h) may count: the value of any other may be predicted to be
// another one.
//
// Both must hold the lock that the writer wrote under. So an edge is an order by the rules of the
// language as well, and who writes a flag without a lock has a race with all that it guards.
//
// What a reader learns is the clock of the writer when its segment began. The first write that
// decides in a critical section begins one, so that what its thread did before it took the lock
// counts (runtime/hooks/watched.cc). Otherwise a reader learns less, never more.
#pragma once

#include <stdint.h>

namespace foretell::rt::watch {

struct Watcher;

// Off: nobody learns anything here.
extern bool follows_reads;

// The access is made next, and nobody else runs before; a read that decides. The segment of the
// watcher may be another one afterward.
void follow_read(Watcher& watcher, const void* address, uint64_t size);
void follow_write(Watcher& watcher, const void* address, uint64_t size);

// The bytes are written by somebody of whom readers learn nothing.
void forget_writers(const void* address, uint64_t size);
// Of a granule that has just become contended.
void guess_writer(const Watcher& finder, uint64_t granule, uint32_t epoch);
// A granule begins a new life as a contended one.
void begin_writers(uint64_t granule);

// The watcher's segment began with this clock.
void keep_clock(const Watcher& watcher);

void forget_all_writers();

}  // namespace foretell::rt::watch

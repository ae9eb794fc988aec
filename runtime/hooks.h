// The calls and variables that instrumented code uses: the contract between pass/ and runtime/.
//
// Around an access the pass emits, inline:
//
//     if (__foretell_thread.cursor >= __foretell_thread.limit) __foretell_check(address, site_op);
//     ACCESS                                   // the original instruction; v is its value
//     Record* r = __foretell_thread.cursor;    // reloaded: check may have moved it
//     r->word0 = address | (v >> 32) << 48;    // the shift only for 8-byte values
//     r->word1 = site_op | v << 32;
//     __foretell_thread.cursor = r + 1;
//
// where site_op = (site_base + local index) | op << 24. A thread is therefore always stopped
// *before* a step, never in the middle of one, and the runtime knows which step it is about to
// take. An 8-byte value that does not fit 48 bits (recording::fits_48) goes through
// __foretell_record_wide instead of the stores.
//
// `limit` is what makes one compare enough: it is the end of the chunk or the step at which the
// scheduler wants to decide again, whichever comes first.
//
// Before the runtime has seen a thread, and whenever recording is off, cursor == limit, and check
// leaves cursor at scratch memory that takes one record. So a binary works without Foretell.
#pragma once

#include "recording.h"

#pragma GCC visibility push(default)
extern "C" {

struct ForetellThread {
  foretell::recording::Record* cursor;
  foretell::recording::Record* limit;
  // Site of the call being made, set by the caller before calls to functions that are not known to
  // be uninteresting. Whoever uses it (a function's entry, an intercepted function) clears it.
  uint32_t call_site;
  uint32_t reserved;
};

extern __thread ForetellThread __foretell_thread __attribute__((tls_model("initial-exec")));

// Called by a constructor of priority 0 in each object file; idempotent.
void __foretell_register(const foretell::recording::Module* module);

// The thread is about to take the step `site_op` at `address`; returns when it may.
void __foretell_check(const void* address, uint32_t site_op);

// Everything below checks by itself and may be called at any time, also with recording off.

// After the access: an 8-byte value that needs 64 bits. Does not check: it is the second half of
// the inline sequence, in place of the two stores. site_op has the op Read8Wide or Write8Wide.
void __foretell_record_wide(const void* address, uint64_t value, uint32_t site_op);

// Before the access: memory intrinsics, aggregates, vectors, anything whose contents are not
// recorded.
void __foretell_read_range(const void* address, uint64_t size, uint32_t site);
void __foretell_write_range(const void* address, uint64_t size, uint32_t site);

// Around an atomic instruction: begin, the instruction, then exactly one of the others. A failed
// compare-exchange is a read. In parallel mode begin takes a lock that the end gives back, so that
// the order of records is the order of the instructions.
// `order` as MemoryOrder in src/trace/event.h: relaxed 0, consume, acquire, release, acq_rel,
// seq_cst 5. `size` in bytes; values of other sizes than 1, 2, 4, 8 are passed as 0.
void __foretell_atomic_begin(const void* address, uint32_t site);
void __foretell_atomic_read(const void* address, uint64_t value, uint32_t size, uint32_t order,
                            uint32_t site);
void __foretell_atomic_write(const void* address, uint64_t value, uint32_t size, uint32_t order,
                             uint32_t site);
void __foretell_atomic_rmw(const void* address, uint64_t read, uint64_t written, uint32_t size,
                           uint32_t order, uint32_t site);
void __foretell_fence(uint32_t order, uint32_t site);

// At the entry of a function (takes call_site) and at every way out of it, exceptions included.
void __foretell_enter(uint32_t site);
void __foretell_exit(uint32_t site);
void __foretell_branch(uint64_t way, uint32_t site);
}
#pragma GCC visibility pop

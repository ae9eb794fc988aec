// SPDX-License-Identifier: Apache-2.0

// Repeated reads of a thread that watches: what recording/filter.h leaves out inline in the body
// that records is left out here, among the accesses that are to be recorded. The rule is the same;
// only is it never switched off.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

// Whether the thread has recorded reads of all these bytes in its segment, and they still hold what
// it read.
bool is_repeat(const Thread* thread, const void* address, size_t size);
// The thread records a read of these bytes as they are now.
void remember_read(Thread* thread, const void* address, size_t size);
void forget_reads(Thread* thread);

}  // namespace foretell::rt

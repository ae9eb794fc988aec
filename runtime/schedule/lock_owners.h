// SPDX-License-Identifier: Apache-2.0

// Who holds a lock exclusively, for the search for deadlocks. Controlled mode only.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

void start_owners();
void set_owner(const void* lock, Thread* owner);
Thread* owner_of(const void* lock);
// In the child of a fork: what `from` held is held by `to`, and nobody holds anything else.
void inherit_locks(Thread* from, Thread* to);

// Whether the thread, blocked at a lock, closes a cycle of threads each waiting for a lock that the
// next one holds.
bool closes_cycle(Thread* thread);

}  // namespace foretell::rt

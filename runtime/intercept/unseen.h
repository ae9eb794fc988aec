// SPDX-License-Identifier: Apache-2.0

// Libraries that were not instrumented and synchronize with locks and futexes of their own.
//
// What such a library waits for is in memory whose accesses are not recorded: whether a thread
// waits on its condition depends on a flag nobody sees. So what its threads do under one lock may
// not be reordered. Each section gets an atomic read-modify-write of a location that nothing else
// uses, and a reordering keeps the order of those.
//
// libstdc++ and libc are not meant: they lock and wait on behalf of their callers, who decide.
#pragma once

#include "runtime/intercept/call.h"

namespace foretell::rt {

// The call has just acquired the lock at `lock`, and its caller's code returns to `caller`.
void order_unseen_section(const Call& call, const void* caller, const void* lock);
// The call is about to wake who waits at `word`, or was woken there.
void note_unseen_wake(const Call& call, const void* caller, const void* word);
void note_unseen_waking(const Call& call, const void* caller, const void* word);

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// The keeper: a thread of the runtime's own that drains chunks and, every now and then, calls the
// watchdog.
//
// Made by a bare clone, because it may be needed in places where libc's pthread_create is not safe
// to call. It shares the thread-local storage of the thread that made it and so must not touch any;
// its table of file descriptors is its own.
#pragma once

#include <stdint.h>

namespace foretell::rt {

inline constexpr uint64_t kWatchPeriodMs = 50;

// `watch` is called every kWatchPeriodMs; null if there is nothing to watch.
void start_keeper(void (*watch)());

}  // namespace foretell::rt

// The keeper: a thread of the runtime's own that drains chunks and watches for lost threads.
//
// Made by a bare clone, because it may be needed in places where libc's pthread_create is not safe
// to call. It shares the thread-local storage of the thread that made it and so must not touch any;
// its table of file descriptors is its own.
#pragma once

#include <stdint.h>

namespace foretell::rt {

inline constexpr uint64_t kWatchPeriodMs = 50;

void start_keeper();

// Of any thread of this process, by its id in the kernel.
uint64_t thread_cpu_ns(uint32_t os_id);
bool thread_sleeps(uint32_t os_id);

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// What the kernel says of a thread of this process, by its id there.
#pragma once

#include <stdint.h>

namespace foretell::rt {

// 0 if the thread is gone.
uint64_t thread_cpu_ns(uint32_t os_id);
bool thread_sleeps(uint32_t os_id);

}  // namespace foretell::rt

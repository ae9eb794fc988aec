// SPDX-License-Identifier: Apache-2.0

// Virtual time: what the program believes the clocks say in controlled mode.
#pragma once

#include <stdint.h>
#include <time.h>

namespace foretell::rt {

// When, in virtual nanoseconds, `until` of `clock` is. In the past for a time already over.
uint64_t virtual_deadline(clockid_t clock, const timespec* until);

// Whether locks and conditions may wait by this clock, and until this time. libc says EINVAL if
// not.
bool is_waiting_clock(clockid_t clock);
bool can_wait_until(clockid_t clock, const timespec* until);

// What `clock` shows at this moment of virtual time.
timespec virtual_time(clockid_t clock);

uint64_t to_ns(const timespec& time);
timespec to_timespec(uint64_t ns);

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/virtual_time.h"

#include "runtime/schedule/scheduler.h"

namespace foretell::rt {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Clocks that tell the time of day share virtual time; others keep their distance to it, fixed
// when first asked.
bool tells_time_of_day(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

uint64_t monotonic_distance() {
  static uint64_t distance = 0;
  // A fixed distance keeps what monotonic clocks show a function of the start time alone.
  if (distance == 0) distance = header ? header->start_time_ns - 1000 * kSecond : 1;
  return distance;
}

}  // namespace

uint64_t to_ns(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * kSecond + static_cast<uint64_t>(time.tv_nsec);
}

timespec to_timespec(uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}

uint64_t virtual_deadline(clockid_t clock, const timespec* until) {
  const uint64_t ns = to_ns(*until);
  return tells_time_of_day(clock) ? ns : ns + monotonic_distance();
}

bool is_waiting_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

bool can_wait_until(clockid_t clock, const timespec* until) {
  return is_waiting_clock(clock) && until->tv_nsec >= 0 &&
         until->tv_nsec < static_cast<long>(kSecond);
}

timespec virtual_time(clockid_t clock) {
  const uint64_t now = virtual_now();
  return to_timespec(tells_time_of_day(clock) ? now : now - monotonic_distance());
}

}  // namespace foretell::rt

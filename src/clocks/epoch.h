// SPDX-License-Identifier: Apache-2.0

// Epoch: one component of a vector clock, "thread t at time c", in 64 bits.
//
// An access that holds the epoch c@t happened before everything whose clock has at least c for t
// (Flanagan and Freund, FastTrack, PLDI 2009, section 3). Comparing two epochs for equality is one
// comparison of integers, which is what makes the fast paths fast.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/ids.h"

namespace foretell::clocks {

// How many release-like operations a thread has done, plus one.
using Time = uint64_t;

class Epoch {
 public:
  static constexpr unsigned kTimeBits = 40;
  static constexpr Time kLastTime = (Time{1} << kTimeBits) - 1;
  static constexpr uint32_t kThreads = uint32_t{1} << (64 - kTimeBits);

  // Time 0 of thread 0: before everything.
  constexpr Epoch() = default;
  constexpr Epoch(ThreadId thread, Time time)
      : bits_((static_cast<uint64_t>(thread) << kTimeBits) | time) {}

  constexpr ThreadId thread() const { return ThreadId{static_cast<uint32_t>(bits_ >> kTimeBits)}; }
  constexpr Time time() const { return bits_ & kLastTime; }
  constexpr bool is_zero() const { return time() == 0; }

  Epoch next() const {
    CHECK(time() < kLastTime);
    Epoch later = *this;
    ++later.bits_;
    return later;
  }

  constexpr bool operator==(const Epoch&) const = default;

 private:
  uint64_t bits_ = 0;
};
static_assert(sizeof(Epoch) == 8);

}  // namespace foretell::clocks

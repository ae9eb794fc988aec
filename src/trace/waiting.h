// SPDX-License-Identifier: Apache-2.0

// Which events may have to wait for what other threads do, and which of them gave up sooner or
// later.
#pragma once

#include "trace/event.h"

namespace foretell::trace {

constexpr bool may_wait(EventKind kind) {
  return kind == EventKind::Acquire || kind == EventKind::AcquireShared ||
         kind == EventKind::WaitEnd || kind == EventKind::SemaphoreWait ||
         kind == EventKind::BarrierExit || kind == EventKind::Join;
}

// In the flags of such an event: it was a try, or its wait had a time limit. Only a
// read-modify-write has the other meaning of this bit.
inline constexpr uint16_t kLimited = Event::kHasReadValue;

constexpr bool is_limited(const Event& e) {
  return may_wait(e.kind) && (e.flags & kLimited) != 0;
}

}  // namespace foretell::trace

// SPDX-License-Identifier: Apache-2.0

// The hard orders between threads, from the steps that make them (recording/record.def).
//
//   Fork -> ThreadBegin, ThreadEnd -> Join, BarrierEnter -> BarrierExit of the same generation,
//   NotifyOne, NotifyAll -> WaitEnd and SemaphorePost -> SemaphoreWait with the same ticket,
//   an atomic that releases -> an atomic that reads what it wrote, and acquires
//
// Locks order nothing here: another schedule may take them in another order.
#pragma once

#include "recording/record.h"
#include "runtime/watch/watcher.h"

namespace foretell::rt::watch {

// One step of a thread, as it is recorded. `words` are the value and the extensions. The first step
// of a thread gets its watcher from here.
struct Step {
  recording::Op op;
  const void* address;
  const uint64_t* words;
  uint64_t key;  // of an allocation
};
void follow(Watcher*& watcher, const Step& step);

}  // namespace foretell::rt::watch

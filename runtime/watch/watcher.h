// SPDX-License-Identifier: Apache-2.0

// Watcher: what a thread knows of the others, and what it does to the shadow.
//
// Check first, then remember: an access that conflicts with one that the thread's clock does not
// know makes the granule contended. Allocation and free count as writes of all of an object.
//
// One thread runs at a time, so nothing here is locked.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/watch/clock.h"

namespace foretell::rt::watch {

// The locks that a thread holds, the last one last. Of many it forgets the first.
class HeldLocks {
 public:
  void add(const void* lock);
  void remove(const void* lock);
  bool contains(const void* lock) const;
  const void* last() const { return count_ ? at_[count_ - 1] : nullptr; }

 private:
  static constexpr uint32_t kMost = 8;
  const void* at_[kMost] = {};
  uint32_t count_ = 0;
};

struct Watcher {
  uint32_t slot = 0;
  uint32_t segment = 1;
  // Open blocks that are declared atomic. What they access is recorded even where it is ordered:
  // whoever comes in between is an error in every order.
  uint32_t blocks = 0;
  Clock clock;
  HeldLocks locks;

  uint32_t epoch() const { return epoch_of(slot, segment); }
};

// Reserves the shadow and reads the names that are known. False, with a message, if it cannot.
bool start(const char* names);
extern bool watching_on;
// Too many threads lived at once: what was found since is not all.
extern bool gave_up;

// The watcher of a thread; null if there is no memory. `creator` is null if nobody is known to have
// created it.
Watcher* new_watcher(Watcher* creator);
void end_watcher(Watcher* watcher);

enum class Touch : uint8_t { read, write };

// Whether the access is to be recorded.
bool touch(Watcher& watcher, const void* address, uint64_t size, Touch touch);
// Up to which address granules that nobody has touched mean the same as this one.
uint64_t fresh_until(uint64_t granule);
// What it does from now on is in another segment.
void begin_segment(Watcher& watcher);
// An atomic: every plain access of it matters.
void touch_atomically(Watcher& watcher, const void* address, uint64_t size);

void allocate(Watcher& watcher, const void* address, uint64_t size, uint64_t key);
void free(Watcher& watcher, const void* address);

// The watcher's past comes before whoever takes in the clock.
void release_into(Watcher& watcher, Clock& clock);
// The past of the clock comes before what the watcher does next.
void acquire_from(Watcher& watcher, const Clock& clock);

}  // namespace foretell::rt::watch

// SPDX-License-Identifier: Apache-2.0

// Clock: how much of each thread is known to come before, in every reordering.
//
// Only hard orders enter it that are also orders of C++ (recording/watching.h): so what it leaves
// unordered is all that the language calls a race, and more.
#pragma once

#include <stdint.h>

#include "recording/watching.h"

namespace foretell::rt::watch {

constexpr uint32_t epoch_of(uint32_t slot, uint32_t segment) {
  return slot << watching::kSegmentBits | segment;
}
constexpr uint32_t slot_of(uint32_t epoch) {
  return epoch >> watching::kSegmentBits;
}
constexpr uint32_t segment_of(uint32_t epoch) {
  return epoch & watching::kLastSegment;
}

// By slot, the last segment that is known; 0 if none is. Memory of a clock is never given back to
// the system, so there must not be arbitrarily many.
class Clock {
 public:
  bool knows(uint32_t epoch) const {
    const uint32_t slot = slot_of(epoch);
    return epoch == 0 || (slot < size_ && known_[slot] >= segment_of(epoch));
  }
  // False if there is no memory: it then knows less than it should.
  bool set(uint32_t slot, uint32_t segment);
  // Takes in what the other knows; true if it did not know all of it.
  bool join(const Clock& other);
  // The same without what it knows of one slot.
  bool join_others(const Clock& other, uint32_t slot);
  void assign(const Clock& other);
  void forget();
  // Room for all slots there can be, so that nobody needs to ask how many it has; null if there is
  // no memory.
  const uint32_t* whole();

 private:
  bool make_room(uint32_t size);

  uint32_t* known_ = nullptr;
  uint32_t size_ = 0;
  uint32_t room_ = 0;
};

}  // namespace foretell::rt::watch

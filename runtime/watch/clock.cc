// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/clock.h"

#include "runtime/platform/os.h"

namespace foretell::rt::watch {

bool Clock::make_room(uint32_t size) {
  if (size > room_) {
    uint32_t room = room_ ? room_ : 8;
    while (room < size) room *= 2;
    auto* known = static_cast<uint32_t*>(os::allocate_small(room * sizeof(uint32_t)));
    if (!known) return false;
    if (size_) os::copy(known, known_, size_ * sizeof(uint32_t));
    known_ = known;
    room_ = room;
  }
  for (; size_ < size; size_++) known_[size_] = 0;
  return true;
}

bool Clock::set(uint32_t slot, uint32_t segment) {
  if (!make_room(slot + 1)) return false;
  known_[slot] = segment;
  return true;
}

bool Clock::join(const Clock& other) {
  return join_others(other, watching::kMostSlots);
}

bool Clock::join_others(const Clock& other, uint32_t slot) {
  if (other.size_ > size_ && !make_room(other.size_)) return false;
  bool is_new = false;
  for (uint32_t i = 0; i < other.size_; i++) {
    if (known_[i] >= other.known_[i] || i == slot) continue;
    known_[i] = other.known_[i];
    is_new = true;
  }
  return is_new;
}

const uint32_t* Clock::whole() {
  const uint32_t size = size_;
  if (room_ < watching::kMostSlots && !make_room(watching::kMostSlots)) return nullptr;
  size_ = size;
  return known_;
}

void Clock::assign(const Clock& other) {
  forget();
  join(other);
}

void Clock::forget() {
  size_ = 0;
}

}  // namespace foretell::rt::watch

// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/stretches.h"

#include "runtime/platform/os.h"

namespace foretell::rt::watch {

bool Stretches::grow() {
  const uint32_t room = room_ ? 2 * room_ : 4;
  auto* at = static_cast<Stretch*>(os::allocate_small(room * sizeof(Stretch)));
  if (!at) return false;
  if (count_) os::copy(at, at_, count_ * sizeof(Stretch));
  at_ = at;
  room_ = room;
  return true;
}

void Stretches::close_gaps() {
  for (int64_t gap = 16; count_ > kMost / 2; gap *= 2) {
    uint32_t kept = 0;
    for (uint32_t i = 1; i < count_; i++) {
      if (at_[i].begin - at_[kept].end <= gap) {
        at_[kept].end = at_[i].end;
      } else {
        at_[++kept] = at_[i];
      }
    }
    count_ = kept + 1;
  }
}

bool Stretches::contains(Stretch stretch) const {
  uint32_t low = 0, high = count_;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (at_[middle].end < stretch.end) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count_ && at_[low].begin <= stretch.begin;
}

bool Stretches::add(Stretch stretch) {
  if (contains(stretch)) return true;
  // The first that it touches or that comes after it.
  uint32_t first = count_;
  while (first > 0 && at_[first - 1].end >= stretch.begin) first--;
  uint32_t last = first;
  for (; last < count_ && at_[last].begin <= stretch.end; last++) {
    if (at_[last].begin < stretch.begin) stretch.begin = at_[last].begin;
    if (at_[last].end > stretch.end) stretch.end = at_[last].end;
  }
  if (last == first) {
    if (count_ == room_ && !grow()) return false;
    for (uint32_t i = count_++; i > first; i--) at_[i] = at_[i - 1];
  } else {
    for (uint32_t i = last; i < count_; i++) at_[first + 1 + i - last] = at_[i];
    count_ -= last - first - 1;
  }
  at_[first] = stretch;
  if (count_ > kMost) close_gaps();
  return true;
}

}  // namespace foretell::rt::watch

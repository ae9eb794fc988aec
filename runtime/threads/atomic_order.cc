// SPDX-License-Identifier: Apache-2.0

#include "runtime/threads/atomic_order.h"

#include "runtime/platform/handlers.h"

namespace foretell::rt {
namespace {

constexpr size_t kStripes = 256;
os::Lock stripes_[kStripes];

void forget_locks() {
  for (os::Lock& lock : stripes_) lock = os::Lock();
}
FORETELL_IN_FORKED_CHILD(forget_locks);

}  // namespace

os::Lock& atomic_lock(const void* address) {
  return stripes_[(reinterpret_cast<uintptr_t>(address) >> 3) % kStripes];
}

}  // namespace foretell::rt

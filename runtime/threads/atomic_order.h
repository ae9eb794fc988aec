// SPDX-License-Identifier: Apache-2.0

// The order of atomics in parallel mode: those of one address are recorded in the order in which
// they happen, because both are done under one lock.
#pragma once

#include "runtime/platform/os.h"
#include "runtime/threads/thread.h"

namespace foretell::rt {

// The lock of an address. Many addresses share one; nobody holds two.
os::Lock& atomic_lock(const void* address);

// The `value` of records of atomics that do not exist, and stand for an order that the runtime
// knows of. They have one byte and no value: a read of one value could be served by any write of
// the same value.
constexpr uint64_t byte_of(MemoryOrder order) {
  constexpr uint64_t kByteWithoutValue = 0;
  return recording::AtomicValue{order, kByteWithoutValue}.packed();
}
inline constexpr uint64_t kAcquireByte = byte_of(MemoryOrder::acquire);
inline constexpr uint64_t kReleaseByte = byte_of(MemoryOrder::release);
inline constexpr uint64_t kAcquireReleaseByte = byte_of(MemoryOrder::acq_rel);

class AtomicOrder {
 public:
  explicit AtomicOrder(const void* address)
      : lock_(mode == Mode::parallel ? &atomic_lock(address) : nullptr) {
    if (lock_) lock_->lock();
  }
  ~AtomicOrder() {
    if (lock_) lock_->unlock();
  }
  AtomicOrder(const AtomicOrder&) = delete;
  AtomicOrder& operator=(const AtomicOrder&) = delete;

 private:
  os::Lock* lock_;
};

}  // namespace foretell::rt

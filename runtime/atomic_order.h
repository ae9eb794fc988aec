// The order of atomics in parallel mode: those of one address are recorded in the order in which
// they happen, because both are done under one lock.
#pragma once

#include "os.h"
#include "thread.h"

namespace foretell::rt {

// The lock of an address. Many addresses share one; nobody holds two.
os::Lock& atomic_lock(const void* address);

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

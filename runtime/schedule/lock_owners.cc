// SPDX-License-Identifier: Apache-2.0

#include "runtime/schedule/lock_owners.h"

#include "runtime/platform/os.h"

namespace foretell::rt {
namespace {

struct Owner {
  const void* lock;
  Thread* thread;
};
constexpr size_t kOwners = 1 << 16;
Owner* owners_ = nullptr;

Owner* owner_slot(const void* lock) {
  size_t at = (reinterpret_cast<uintptr_t>(lock) * 0x9e3779b97f4a7c15) >> 48;
  for (size_t tries = 0; tries < kOwners; tries++, at = (at + 1) % kOwners) {
    if (owners_[at].lock == lock || owners_[at].lock == nullptr) return &owners_[at];
  }
  return nullptr;  // 65536 different locks at once: deadlocks are then found when all block
}

}  // namespace

void start_owners() {
  if (!owners_) owners_ = static_cast<Owner*>(os::allocate(kOwners * sizeof(Owner)));
}

void set_owner(const void* lock, Thread* owner) {
  if (mode == Mode::parallel) return;
  if (Owner* slot = owner_slot(lock)) *slot = {lock, owner};
}

Thread* owner_of(const void* lock) {
  if (mode == Mode::parallel) return nullptr;
  Owner* slot = owner_slot(lock);
  return slot && slot->lock == lock ? slot->thread : nullptr;
}

void inherit_locks(Thread* from, Thread* to) {
  if (!owners_) return;
  for (size_t i = 0; i < kOwners; i++) {
    owners_[i].thread = owners_[i].thread == from ? to : nullptr;
  }
}

bool closes_cycle(Thread* thread) {
  Thread* at = thread;
  for (uint32_t hops = 0; hops < 64; hops++) {
    if (at->run != Run::blocked || at->wait != Wait::lock || at->deadline != kForever) return false;
    at = owner_of(at->wait_object);
    if (!at) return false;
    if (at == thread) return true;
  }
  return false;
}

}  // namespace foretell::rt

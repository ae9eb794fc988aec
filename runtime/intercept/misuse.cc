// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/misuse.h"

#include <semaphore.h>

#include "runtime/intercept/call.h"
#include "runtime/platform/address_table.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/lock_owners.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

// Mutexes that look who unlocks them say so themselves, and a program may count on that.
bool checks_its_owner(const pthread_mutex_t* mutex) {
  constexpr int kKindMask = 3, kRobustBit = 16, kPriorityBits = 32 | 64;
  const int kind = mutex->__data.__kind;
  return (kind & kKindMask) == PTHREAD_MUTEX_RECURSIVE ||
         (kind & kKindMask) == PTHREAD_MUTEX_ERRORCHECK || (kind & (kRobustBit | kPriorityBits));
}

// With which mutex those wait that wait now.
struct Waiters {
  const pthread_mutex_t* mutex = nullptr;
};
AddressTable<Waiters> conditions_;

}  // namespace

void note_misuse(Thread* thread, uint32_t site, Misuse how, Synchronizer what, const void* object,
                 const Thread* other) {
  const uint64_t number = other ? other->id : recording::kNoThread;
  put(thread, Op::Misuse, site, object, recording::misuse_value(how, what), number);
}

void check_unlock(Thread* thread, uint32_t site, const pthread_mutex_t* mutex) {
  if (checks_its_owner(mutex)) return;
  const Thread* owner = owner_of(mutex);
  if (owner && owner != thread) {
    note_misuse(thread, site, Misuse::unlock_of_other, Synchronizer::lock, mutex, owner);
  } else if (!owner && mutex->__data.__lock == 0) {
    note_misuse(thread, site, Misuse::unlock_of_free, Synchronizer::lock, mutex);
  }
}

void check_wait(Thread* thread, uint32_t site, const pthread_cond_t* condition,
                const pthread_mutex_t* mutex) {
  const Thread* owner = owner_of(mutex);
  // A mutex locked before recording began, or by code that we do not see, has no owner.
  const bool is_free = !owner && mutex->__data.__lock == 0;
  if ((owner && owner != thread) || is_free) {
    note_misuse(thread, site, Misuse::wait_unlocked, Synchronizer::lock, mutex, owner);
  }
  Waiters* waiters = conditions_.find_or_add(condition);
  if (!waiters) return;
  const bool others_wait = waiting(Wait::condition, condition) > 0;
  if (others_wait && waiters->mutex != mutex) {
    note_misuse(thread, site, Misuse::wait_with_other, Synchronizer::condition, condition);
  }
  waiters->mutex = mutex;
}

void destroy(Thread* thread, uint32_t site, Synchronizer what, const void* object) {
  before_step(thread);
  const auto awaited = [&](Wait wait) {
    if (waiting(wait, object) == 0) return;
    note_misuse(thread, site, Misuse::destroy_awaited, what, object);
  };
  if (mode == Mode::controlled) {
    switch (what) {
      case Synchronizer::lock:
        if (const Thread* owner = owner_of(object)) {
          note_misuse(thread, site, Misuse::destroy_locked, what, object, owner);
        }
        break;
      case Synchronizer::condition:
        awaited(Wait::condition);
        break;
      case Synchronizer::barrier:
        awaited(Wait::barrier);
        break;
      case Synchronizer::semaphore:
        awaited(Wait::semaphore);
        break;
    }
  }
  put(thread, Op::Destroy, site, object, static_cast<uint64_t>(what));
}

}  // namespace foretell::rt

using namespace foretell::rt;

// In controlled mode the real conditions and barriers have no waiters: libc would see nothing.

FORETELL_INTERCEPT int pthread_cond_destroy(pthread_cond_t* condition) {
  Call call(__builtin_return_address(0));
  if (call) destroy(call.thread, call.site, Synchronizer::condition, condition);
  return real.pthread_cond_destroy(condition);
}

FORETELL_INTERCEPT void cnd_destroy(cnd_t* condition) {
  Call call(__builtin_return_address(0));
  if (call) destroy(call.thread, call.site, Synchronizer::condition, condition);
  real.cnd_destroy(condition);
}

FORETELL_INTERCEPT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  Call call(__builtin_return_address(0));
  if (call) destroy(call.thread, call.site, Synchronizer::barrier, barrier);
  return real.pthread_barrier_destroy(barrier);
}

FORETELL_INTERCEPT int sem_destroy(sem_t* semaphore) {
  Call call(__builtin_return_address(0));
  if (call) destroy(call.thread, call.site, Synchronizer::semaphore, semaphore);
  return real.sem_destroy(semaphore);
}

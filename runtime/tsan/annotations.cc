// SPDX-License-Identifier: Apache-2.0

// What programs tell ThreadSanitizer about themselves: its own interface and the older dynamic
// annotations.
#include "include/foretell/foretell.h"
#include "runtime/intercept/call.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

using namespace foretell::rt;

#define FORETELL_TSAN extern "C" __attribute__((visibility("default")))
#define FORETELL_HERE __builtin_return_address(0)

namespace {

// Bits of the flags in sanitizer/tsan_interface.h.
constexpr unsigned kReadLock = 1 << 3;
constexpr unsigned kTryLock = 1 << 4;
constexpr unsigned kTryLockFailed = 1 << 5;

void step(Op op, const void* object, void* pc, uint64_t value = 0) {
  Call call(pc);
  if (!call) return;
  before_step(call.thread);
  put(call.thread, op, call.site, object, value);
}

Op either(unsigned flags, Op shared, Op exclusive) {
  return flags & kReadLock ? shared : exclusive;
}

}  // namespace

FORETELL_TSAN void __tsan_acquire(void* address) {
  __foretell_happens_after(address);
}
FORETELL_TSAN void __tsan_release(void* address) {
  __foretell_happens_before(address);
}
FORETELL_TSAN void __tsan_ignore_thread_begin() {
  __foretell_ignore_begin();
}
FORETELL_TSAN void __tsan_ignore_thread_end() {
  __foretell_ignore_end();
}

FORETELL_TSAN void __tsan_mutex_create(void*, unsigned) {}
FORETELL_TSAN void __tsan_mutex_destroy(void*, unsigned) {}

FORETELL_TSAN void __tsan_mutex_pre_lock(void* mutex, unsigned flags) {
  if (flags & kTryLock) return;
  step(either(flags, Op::RequestShared, Op::Request), mutex, FORETELL_HERE);
}
FORETELL_TSAN void __tsan_mutex_post_lock(void* mutex, unsigned flags, int) {
  if (flags & kTryLockFailed) {
    step(either(flags, Op::TryFailShared, Op::TryFail), mutex, FORETELL_HERE);
  } else {
    step(either(flags, Op::AcquireShared, Op::Acquire), mutex, FORETELL_HERE,
         flags & kTryLock ? foretell::recording::kLimited : 0);
  }
}
FORETELL_TSAN int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  step(either(flags, Op::ReleaseShared, Op::Release), mutex, FORETELL_HERE);
  return 1;
}
FORETELL_TSAN void __tsan_mutex_post_unlock(void*, unsigned) {}
FORETELL_TSAN void __tsan_mutex_pre_signal(void*, unsigned) {}
FORETELL_TSAN void __tsan_mutex_post_signal(void*, unsigned) {}
FORETELL_TSAN void __tsan_mutex_pre_divert(void*, unsigned) {}
FORETELL_TSAN void __tsan_mutex_post_divert(void*, unsigned) {}

FORETELL_TSAN void AnnotateHappensBefore(const char*, int, uintptr_t address) {
  __foretell_happens_before(reinterpret_cast<void*>(address));
}
FORETELL_TSAN void AnnotateHappensAfter(const char*, int, uintptr_t address) {
  __foretell_happens_after(reinterpret_cast<void*>(address));
}
FORETELL_TSAN void AnnotateIgnoreReadsBegin(const char*, int) {
  __foretell_ignore_begin();
}
FORETELL_TSAN void AnnotateIgnoreReadsEnd(const char*, int) {
  __foretell_ignore_end();
}
FORETELL_TSAN void AnnotateIgnoreWritesBegin(const char*, int) {
  __foretell_ignore_begin();
}
FORETELL_TSAN void AnnotateIgnoreWritesEnd(const char*, int) {
  __foretell_ignore_end();
}
FORETELL_TSAN void AnnotateBenignRace(const char*, int, uintptr_t address, const char*) {
  __foretell_benign_race(reinterpret_cast<void*>(address), sizeof(void*));
}
FORETELL_TSAN void AnnotateBenignRaceSized(const char*, int, uintptr_t address, uintptr_t size,
                                           const char*) {
  __foretell_benign_race(reinterpret_cast<void*>(address), size);
}
FORETELL_TSAN void AnnotateThreadName(const char*, int, const char* name) {
  __foretell_thread_name(name);
}

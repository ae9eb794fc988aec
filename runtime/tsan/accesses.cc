// SPDX-License-Identifier: Apache-2.0

// Plain accesses of objects compiled with -fsanitize=thread, by clang or gcc.
//
// The compiler calls us before each access with its address; what is read or written we do not
// know, so accesses are ranges without contents, and the recording says so.
#include "runtime/intercept/attach.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/program_objects.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"
#include "runtime/threads/return_sites.h"

namespace foretell::rt {

namespace {

Thread* recording_thread() {
  Thread* thread = active ? self() : nullptr;
  return thread && !thread->inside ? thread : nullptr;
}

void access(Op op, const void* address, uint64_t size, const void* return_address) {
  if (may_step_at_once()) {
    put_at_once(op, site_of_return(attached_thread, return_address), address, size);
    return;
  }
  Thread* thread = recording_thread();
  if (!thread || size == 0) return;
  if (thread->ignoring) {
    header->skipped_ignored++;
    return;
  }
  if (signal_waits(thread)) {
    reenter_runtime(thread);
    handle_signals(thread);
    leave_runtime(thread);
  }
  const uint32_t site = site_of_return(thread, return_address);
  before_step(thread, false);
  put(thread, op, site, address, size);
}

void read(const void* address, uint64_t size, const void* return_address) {
  access(Op::ReadRange, address, size, return_address);
}
void write(const void* address, uint64_t size, const void* return_address) {
  access(Op::WriteRange, address, size, return_address);
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

#define FORETELL_TSAN extern "C" __attribute__((visibility("default")))
#define FORETELL_HERE __builtin_return_address(0)

FORETELL_TSAN void __tsan_init() {
  initialize();
  thread_sanitizer_objects = true;
  if (!active) return;
  header->without_values = 1;
  add_instrumented_object(FORETELL_HERE);
}

#define FORETELL_SIZE(size)                                           \
  FORETELL_TSAN void __tsan_read##size(void* p) {                     \
    read(p, size, FORETELL_HERE);                                     \
  }                                                                   \
  FORETELL_TSAN void __tsan_write##size(void* p) {                    \
    write(p, size, FORETELL_HERE);                                    \
  }                                                                   \
  FORETELL_TSAN void __tsan_read##size##_pc(void* p, void* pc) {      \
    read(p, size, pc);                                                \
  }                                                                   \
  FORETELL_TSAN void __tsan_write##size##_pc(void* p, void* pc) {     \
    write(p, size, pc);                                               \
  }                                                                   \
  FORETELL_TSAN void __tsan_volatile_read##size(void* p) {            \
    read(p, size, FORETELL_HERE);                                     \
  }                                                                   \
  FORETELL_TSAN void __tsan_volatile_write##size(void* p) {           \
    write(p, size, FORETELL_HERE);                                    \
  }                                                                   \
  FORETELL_TSAN void __tsan_read_write##size(void* p) {               \
    read(p, size, FORETELL_HERE);                                     \
    write(p, size, FORETELL_HERE);                                    \
  }                                                                   \
  FORETELL_TSAN void __tsan_unaligned_read##size(void* p) {           \
    read(p, size, FORETELL_HERE);                                     \
  }                                                                   \
  FORETELL_TSAN void __tsan_unaligned_write##size(void* p) {          \
    write(p, size, FORETELL_HERE);                                    \
  }                                                                   \
  FORETELL_TSAN void __tsan_unaligned_volatile_read##size(void* p) {  \
    read(p, size, FORETELL_HERE);                                     \
  }                                                                   \
  FORETELL_TSAN void __tsan_unaligned_volatile_write##size(void* p) { \
    write(p, size, FORETELL_HERE);                                    \
  }                                                                   \
  FORETELL_TSAN void __tsan_unaligned_read_write##size(void* p) {     \
    read(p, size, FORETELL_HERE);                                     \
    write(p, size, FORETELL_HERE);                                    \
  }
FORETELL_SIZE(1)
FORETELL_SIZE(2)
FORETELL_SIZE(4)
FORETELL_SIZE(8)
FORETELL_SIZE(16)
#undef FORETELL_SIZE

FORETELL_TSAN void __tsan_read_range(void* p, uint64_t size) {
  read(p, size, FORETELL_HERE);
}
FORETELL_TSAN void __tsan_write_range(void* p, uint64_t size) {
  write(p, size, FORETELL_HERE);
}
FORETELL_TSAN void __tsan_read_range_pc(void* p, uint64_t size, void* pc) {
  read(p, size, pc);
}
FORETELL_TSAN void __tsan_write_range_pc(void* p, uint64_t size, void* pc) {
  write(p, size, pc);
}

FORETELL_TSAN void __tsan_vptr_read(void** object) {
  read(object, sizeof *object, FORETELL_HERE);
}
// Constructors and destructors store the same table again and again; that is no change.
FORETELL_TSAN void __tsan_vptr_update(void** object, void* table) {
  if (*object != table) write(object, sizeof *object, FORETELL_HERE);
}

FORETELL_TSAN void __tsan_func_entry(void* caller) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  const uint32_t site = site_of_return(thread, FORETELL_HERE);
  const uint32_t call = site_of_return(thread, caller);
  before_step(thread, false);
  put(thread, Op::FunctionEnter, site, reinterpret_cast<void*>(uintptr_t{call}));
}
FORETELL_TSAN void __tsan_func_exit() {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  const uint32_t site = site_of_return(thread, FORETELL_HERE);
  before_step(thread, false);
  put(thread, Op::FunctionExit, site, nullptr);
}

// The functions they stand for see that objects are of this front end, but not their callers.
FORETELL_TSAN void* __tsan_memcpy(void* to, const void* from, size_t size) {
  read(from, size, FORETELL_HERE);
  write(to, size, FORETELL_HERE);
  return real.memcpy(to, from, size);
}
FORETELL_TSAN void* __tsan_memmove(void* to, const void* from, size_t size) {
  read(from, size, FORETELL_HERE);
  write(to, size, FORETELL_HERE);
  return real.memmove(to, from, size);
}
FORETELL_TSAN void* __tsan_memset(void* to, int byte, size_t size) {
  write(to, size, FORETELL_HERE);
  return real.memset(to, byte, size);
}

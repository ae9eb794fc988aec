// SPDX-License-Identifier: Apache-2.0

// The hooks of instrumented code (contract: recording/hooks.h).
#include "recording/hooks.h"
#include "runtime/intercept/attach.h"
#include "runtime/intercept/signals.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/atomic_order.h"
#include "runtime/threads/records.h"

using namespace foretell::rt;
using foretell::recording::Op;

namespace {

Thread* recording_thread() {
  if (!active) return nullptr;
  Thread* thread = attached_thread ? attached_thread : self();
  return thread && !thread->inside ? thread : nullptr;
}

uint64_t order_and_size(uint32_t order, uint32_t size) {
  return foretell::recording::AtomicValue{static_cast<foretell::MemoryOrder>(order), size}.packed();
}

// A thread that reads the same value at the same place again and again waits for somebody else.
void notice_spinning(Thread* thread, const void* address, uint64_t value) {
  constexpr uint32_t kSpins = 32;
  if (thread->spin_address != address || thread->spin_value != value) {
    thread->spin_address = address;
    thread->spin_value = value;
    thread->spin_count = 0;
  } else if (++thread->spin_count >= kSpins) {
    thread->spin_count = 0;
    if (mode == Mode::controlled) yield(thread);
  }
}

// Records that nobody reads. Where recording is off, a signal handler runs at once, also between
// the load of the cursor and the store that moves it on. If it got new fuel there, that store puts
// the cursor back to where the old fuel ended, and the records that follow lie behind the place
// meant for them. So there is only scratch memory, and a lot of it, which costs nothing until it is
// used.
constexpr int64_t kScratchRecords = 128;
constexpr size_t kScratchSize = kScratchRecords * foretell::recording::kMaxCompact;
constexpr uint32_t kScratches = 256;
char scratch_[kScratches * kScratchSize + (1 << 20)];
uint32_t scratches_taken_;

// Threads have places of their own, as far as they go, or they would wait for each other's cache
// lines.
char* scratch() {
  static __thread char* place __attribute__((tls_model("initial-exec")));
  if (!place) {
    const uint32_t taken = __atomic_fetch_add(&scratches_taken_, 1, __ATOMIC_RELAXED);
    place = scratch_ + taken % kScratches * kScratchSize;
  }
  return place;
}

void range(Op op, const void* address, uint64_t size, uint32_t site) {
  if (size != 0 && may_access_at_once()) return put_at_once(op, site, address, size);
  Thread* thread = recording_thread();
  if (!thread || size == 0) return;
  if (thread->ignoring) {
    header->skipped_ignored++;
    return;
  }
  if (!is_wanted(thread, op, address, size)) return;
  before_step(thread, false);
  put(thread, op, site, address, size);
}

}  // namespace

extern "C" {

void __foretell_check(const void*) {
  __foretell_thread.fuel = 0;
  Thread* thread = recording_thread();
  if (!thread) {
    // The record that follows goes nowhere; if recording is off altogether, so do the next ones.
    __foretell_thread.cursor = scratch();
    // What the filter is told of it must not count.
    __foretell_thread.regions = nullptr;
    __foretell_thread.seen = 0;
    if (!active) __foretell_thread.fuel = kScratchRecords - 1;
    return;
  }
  if (thread->ignoring) {
    off_stream(thread);
    header->skipped_ignored++;
    return;
  }
  if (signal_waits(thread)) {
    reenter_runtime(thread);
    handle_signals(thread);
    leave_runtime(thread);
  }
  before_step(thread, false);
  __foretell_thread.fuel--;  // for the step that follows
}

void __foretell_read_range(const void* address, uint64_t size, uint32_t site) {
  range(Op::ReadRange, address, size, site);
}

void __foretell_write_range(const void* address, uint64_t size, uint32_t site) {
  range(Op::WriteRange, address, size, site);
}

void __foretell_atomic_begin(const void* address, uint32_t) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  before_step(thread);
  if (mode == Mode::parallel) atomic_lock(address).lock();
}

void __foretell_atomic_read(const void* address, uint64_t value, uint32_t size, uint32_t order,
                            uint32_t site) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  put(thread, Op::AtomicRead, site, address, order_and_size(order, size), value);
  if (mode == Mode::parallel) atomic_lock(address).unlock();
  notice_spinning(thread, address, value);
}

void __foretell_atomic_write(const void* address, uint64_t value, uint32_t size, uint32_t order,
                             uint32_t site) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  put(thread, Op::AtomicWrite, site, address, order_and_size(order, size), value);
  if (mode == Mode::parallel) atomic_lock(address).unlock();
}

void __foretell_atomic_rmw(const void* address, uint64_t read, uint64_t written, uint32_t size,
                           uint32_t order, uint32_t site) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  put(thread, Op::AtomicRmw, site, address, order_and_size(order, size), read, written);
  if (mode == Mode::parallel) atomic_lock(address).unlock();
  notice_spinning(thread, address, read == written ? read : ~read);
}

void __foretell_fence(uint32_t order, uint32_t site) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  before_step(thread);
  put(thread, Op::Fence, site, nullptr, order_and_size(order, 0));
}

void __foretell_enter(uint32_t site) {
  const uint32_t call_site = __foretell_thread.call_site;
  __foretell_thread.call_site = 0;
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  before_step(thread, false);
  put_compact(thread, site, call_site);
}

void __foretell_exit(uint32_t site) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  before_step(thread, false);
  put_compact(thread, site, foretell::recording::kExitBit);
}

void __foretell_branch(uint64_t way, uint32_t site) {
  Thread* thread = recording_thread();
  if (!thread) return;
  OnStream stream(thread);
  before_step(thread, false);
  put_compact(thread, site, way);
}
}

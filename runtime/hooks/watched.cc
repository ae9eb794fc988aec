// SPDX-License-Identifier: Apache-2.0

// The hooks of bodies that watch (contract: recording/hooks.h).
#include "recording/hooks.h"
#include "runtime/intercept/attach.h"
#include "runtime/intercept/signals.h"
#include "runtime/platform/options.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"
#include "runtime/threads/repeats.h"
#include "runtime/watch/watcher.h"

using namespace foretell::rt;
using foretell::recording::Op;
using foretell::recording::Repeats;

namespace {

struct Access {
  uint8_t size;
  watch::Touch touch;
  bool has_value;
  bool filtered = false;
};

// From Read1 on, in the order of record.def.
constexpr uint32_t kAccessOps = 12;
static_assert(static_cast<uint32_t>(Op::Write32) - static_cast<uint32_t>(Op::Read1) + 1 ==
              kAccessOps);
constexpr Access kAccesses[kAccessOps] = {
    {1, watch::Touch::read, true},    {2, watch::Touch::read, true},
    {4, watch::Touch::read, true},    {8, watch::Touch::read, true},
    {1, watch::Touch::write, true},   {2, watch::Touch::write, true},
    {4, watch::Touch::write, true},   {8, watch::Touch::write, true},
    {16, watch::Touch::read, false},  {32, watch::Touch::read, false},
    {16, watch::Touch::write, false}, {32, watch::Touch::write, false}};
// A granule that only the thread itself or those it knows have touched, which is what nearly every
// first access in a segment finds. No calls, so that it costs few registers.
__attribute__((always_inline)) inline bool touch_known(const void* address, uint64_t size,
                                                       bool writes) {
  const ForetellThread& own = __foretell_thread;
  const uint32_t* known = own.known;
  if (!known) return false;
  const auto first = reinterpret_cast<uint64_t>(address);
  const uint64_t last = (first + size - 1) & ~(foretell::watching::kGranule - 1);
  const auto is_known = [&](uint32_t epoch) {
    return known[watch::slot_of(epoch)] >= watch::segment_of(epoch);
  };
  for (uint64_t at = first & ~(foretell::watching::kGranule - 1); at <= last;
       at += foretell::watching::kGranule) {
    auto* word = reinterpret_cast<uint64_t*>(own.shadow + (at & own.shadow_mask));
    const auto writer = static_cast<uint32_t>(*word);
    const auto reader = static_cast<uint32_t>(*word >> 32);
    // Contended words have that bit too.
    if (writer & foretell::watching::kMoreReaders || *word == 0) return false;
    if (!is_known(writer) || !is_known(reader)) return false;
    *word = writes ? own.epoch : (own.epoch >> 32 << 32) | writer;
  }
  return true;
}

__attribute__((noinline)) void touch_slowly(const void* address, uint64_t value, uint32_t site,
                                            Access access);

__attribute__((noinline)) void record(Thread* thread, const void* address, uint64_t value,
                                      uint32_t site, Access access) {
  if (access.filtered && is_repeat(thread, address, access.size)) return;
  before_access(thread);
  // Nobody else runs between here and the access itself.
  if (access.filtered) remember_read(thread, address, access.size);
  if (access.touch == watch::Touch::read && access.has_value) {
    value = 0;
    __builtin_memcpy(&value, address, access.size);
  }
  put_value(thread, site, address, value, access.has_value ? access.size : 0);
}

void touch_slowly(const void* address, uint64_t value, uint32_t site, Access access) {
  Thread* thread = attached_thread;
  if (!active || !thread || thread->inside || thread->ignoring || !thread->watcher) return;
  if (watch::touch(*thread->watcher, address, access.size, access.touch)) {
    record(thread, address, value, site, access);
  }
}

// A thread that follows a schedule gets nowhere: it waits for something that no step tells of.
void work_on_schedule(Thread* thread) {
  const bool waits = thread->steps_at_work == thread->steps;
  thread->steps_at_work = thread->steps;
  if (waits) {
    yield(thread);
  } else {
    refuel(thread);
  }
}

__attribute__((noinline)) void use_up_work() {
  Thread* thread = active ? attached_thread : nullptr;
  if (!thread || thread->inside) {
    __foretell_thread.work = 1 << 20;
    if (thread) thread->work_then = __foretell_thread.work;
    return;
  }
  reenter_runtime(thread);
  if (signal_waits(thread)) handle_signals(thread);
  count_steps(thread);
  if (follows_schedule) {
    work_on_schedule(thread);
  } else {
    decide(thread, false);
  }
  leave_runtime(thread);
}

}  // namespace

extern "C" {

__attribute__((preserve_most)) void __foretell_watched(const void* address, uint64_t value,
                                                       uint32_t site, uint32_t op) {
  constexpr auto kRead1 = static_cast<uint32_t>(Op::Read1);
  Access access = kAccesses[((op & ~foretell::watching::kFiltered) - kRead1) % kAccessOps];
  if (touch_known(address, access.size, access.touch == watch::Touch::write)) return;
  access.filtered = op & foretell::watching::kFiltered && options.repeats == Repeats::leave_out;
  touch_slowly(address, value, site, access);
}

__attribute__((preserve_most)) void __foretell_work() {
  use_up_work();
}
}

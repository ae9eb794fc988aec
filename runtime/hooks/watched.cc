// SPDX-License-Identifier: Apache-2.0

// The hooks of bodies that watch (contract: recording/hooks.h).
#include "recording/hooks.h"
#include "runtime/intercept/attach.h"
#include "runtime/intercept/signals.h"
#include "runtime/platform/options.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/filter.h"
#include "runtime/threads/frames.h"
#include "runtime/threads/records.h"
#include "runtime/threads/repeats.h"
#include "runtime/watch/watcher.h"
#include "runtime/watch/writers.h"

using namespace foretell::rt;
using foretell::recording::Op;
using foretell::recording::Repeats;

namespace {

namespace watching = foretell::watching;

struct Access {
  explicit Access(uint32_t what)
      : size(what >> watching::kSizeShift),
        touch(what & watching::kWrites ? watch::Touch::write : watch::Touch::read),
        is_range((what & 0xff) == static_cast<uint32_t>(Op::None)),
        has_value(what & watching::kHasValue),
        decides(what & watching::kDecides),
        filtered(what & watching::kFiltered && options.repeats == Repeats::leave_out) {}
  uint32_t size;
  watch::Touch touch;
  bool is_range;
  bool has_value;
  bool decides;
  bool filtered;
};

bool is_deciding_write(uint32_t what) {
  constexpr uint32_t kBoth = watching::kDecides | watching::kWrites;
  return (what & kBoth) == kBoth;
}

// The granule at `at`, if only the thread itself or those it knows have touched it, which is what
// nearly every first access in a segment finds. No calls, so that it takes few registers.
__attribute__((always_inline)) inline bool touch_known(uint64_t at, uint32_t what) {
  const ForetellThread& own = __foretell_thread;
  auto* place = reinterpret_cast<uint64_t*>(own.shadow + (at & own.shadow_mask));
  const uint64_t word = *place;
  const auto writer = static_cast<uint32_t>(word);
  const auto reader = static_cast<uint32_t>(word >> 32);
  // Contended words have that bit too.
  if (writer & watching::kMoreReaders || word == 0) return false;
  if (own.took_lock && is_deciding_write(what)) return false;
  const uint32_t* known = own.known;
  if (known[watch::slot_of(writer)] < watch::segment_of(writer)) return false;
  if (known[watch::slot_of(reader)] < watch::segment_of(reader)) return false;
  if (what & watching::kWrites) {
    *place = own.epoch;
  } else {
    *(reinterpret_cast<uint32_t*>(place) + 1) = static_cast<uint32_t>(own.epoch);
  }
  return true;
}

// What the accesses of contended memory say of the order of threads.
void follow(Thread* thread, const void* address, const Access& access) {
  watch::Watcher& watcher = *thread->watcher;
  if (access.touch == watch::Touch::write) {
    watch::follow_write(watcher, address, access.size);
  } else if (access.decides) {
    watch::follow_read(watcher, address, access.size);
    aim_checks(thread);
  }
}

// The first write of a critical section that decides what others do begins a segment: who reads it
// learns all that came before.
void begin_segment_if_it_decides(Thread* thread, uint32_t what) {
  if (!thread->slots->took_lock || !is_deciding_write(what)) return;
  thread->slots->took_lock = 0;
  watch::begin_segment(*thread->watcher);
  aim_checks(thread);
}

template <class T>
uint64_t value_at(const void* address) {
  T value;
  __builtin_memcpy(&value, address, sizeof value);
  return value;
}

uint64_t read_value(const void* address, uint32_t size) {
  switch (size) {
    case 1:
      return value_at<uint8_t>(address);
    case 2:
      return value_at<uint16_t>(address);
    case 4:
      return value_at<uint32_t>(address);
    default:
      return value_at<uint64_t>(address);
  }
}

void put_access(Thread* thread, const void* address, uint64_t value, uint32_t site,
                const Access& access) {
  if (access.is_range) {
    const bool writes = access.touch == watch::Touch::write;
    return put(thread, writes ? Op::WriteRange : Op::ReadRange, site, address, access.size);
  }
  if (access.touch == watch::Touch::read && access.has_value) {
    value = read_value(address, access.size);
  }
  put_value(thread, site, address, value, access.has_value ? access.size : 0);
}

__attribute__((noinline)) void record(Thread* thread, const void* address, uint64_t value,
                                      uint32_t site, Access access) {
  if (access.filtered && is_repeat(thread, address, access.size)) return;
  before_access(thread);
  // Nobody else runs between here and the access itself.
  follow(thread, address, access);
  if (access.filtered) remember_read(thread, address, access.size);
  put_access(thread, address, value, site, access);
}

// Signals are handled where a body that records would come to the runtime.
void handle_signals_without_fuel(Thread* thread) {
  if (thread->slots->fuel > 0 || !signal_waits(thread)) return;
  reenter_runtime(thread);
  handle_signals(thread);
  leave_runtime(thread);
}

// `cells` is null if the filter is off.
bool is_left_out(Thread* thread, char* cells, const void* address, uint64_t size) {
  while (cells && repeats_a_read(thread, cells, address, size)) {
    if (--thread->slots->hits_left >= 0) return true;
    __foretell_many_hits();
  }
  return false;
}

// As a body that records does it, and watches too.
__attribute__((noinline)) void record_as_all(Thread* thread, const void* address, uint64_t value,
                                             uint32_t site, uint32_t what) {
  const Access access(what);
  count_access();
  char* cells = access.filtered ? cells_of(thread, address) : nullptr;
  const bool left_out = is_left_out(thread, cells, address, access.size);
  if (!left_out) {
    handle_signals_without_fuel(thread);
    before_access(thread);
  }
  begin_segment_if_it_decides(thread, what);
  watch::touch(*thread->watcher, address, access.size, access.touch);
  follow(thread, address, access);
  if (left_out) return;
  put_access(thread, address, value, site, access);
  if (cells) note_read(thread, cells, address, access.size);
}

__attribute__((preserve_most, noinline)) void touch_slowly(const void* address, uint64_t value,
                                                           uint32_t site, uint32_t what) {
  Thread* thread = attached_thread;
  if (!active || !thread || thread->inside || !thread->watcher) return;
  if (thread->ignoring) {
    if (records_all) header->skipped_ignored++;
    return;
  }
  if (records_all) return record_as_all(thread, address, value, site, what);
  const Access access(what);
  begin_segment_if_it_decides(thread, what);
  if (watch::touch(*thread->watcher, address, access.size, access.touch)) {
    record(thread, address, value, site, access);
  } else {
    follow(thread, address, access);
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
  if (thread && thread->records_all && records_all) {
    __foretell_thread.work = 0;
    if (thread->inside || thread->ignoring) return;
    if (has_next_frame(thread)) handle_signals_without_fuel(thread);
    return tell_frames(thread);
  }
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
                                                       uint32_t site, uint32_t what) {
  const auto first = reinterpret_cast<uint64_t>(address);
  const uint64_t end = first + (what >> watching::kSizeShift);
  uint64_t at = first & ~(watching::kGranule - 1);
  if (!__foretell_thread.known) return touch_slowly(address, value, site, what);
  do {
    if (!touch_known(at, what)) return touch_slowly(address, value, site, what);
    at += watching::kGranule;
  } while (at < end);
}

__attribute__((preserve_most)) void __foretell_work() {
  use_up_work();
}
}

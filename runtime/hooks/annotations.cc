// SPDX-License-Identifier: Apache-2.0

// What a program says about itself (include/foretell/foretell.h).
#include "include/foretell/foretell.h"
#include "runtime/intercept/attach.h"
#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/address_table.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"
#include "runtime/record/site_tables.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/atomic_order.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

// Happens-before of an address is an atomic of its own: the address may hold anything, and be
// accessed in any way.
const void* tag_of(const volatile void* address) {
  constexpr uintptr_t kTag = uintptr_t{1} << 46;
  return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(address) ^ kTag);
}

void block(const Call& call, Op op, const char* label) {
  before_step(call.thread, false);
  put(call.thread, op, call.site, reinterpret_cast<void*>(uintptr_t{site_of_text(label)}));
}

void event(const Call& call, const char* name, uint64_t count, int64_t a, int64_t b) {
  before_step(call.thread, false);
  put(call.thread, Op::User, site_of_text(name), reinterpret_cast<void*>(uintptr_t{call.site}),
      count, static_cast<uint64_t>(a), static_cast<uint64_t>(b));
}

// The next integer in the text, which it moves on; false if there is none.
bool next_integer(const char*& text, int64_t& value) {
  while (*text && *text != '-' && (*text < '0' || *text > '9')) text++;
  const bool negative = *text == '-';
  if (negative) text++;
  if (*text < '0' || *text > '9') return false;
  uint64_t n = 0;
  for (; *text >= '0' && *text <= '9'; text++) n = n * 10 + static_cast<uint64_t>(*text - '0');
  value = static_cast<int64_t>(negative ? -n : n);
  return true;
}

struct Meeting {
  uint32_t arrived = 0;
  uint32_t round = 0;
};
os::Lock meetings_lock_;
AddressTable<Meeting> meetings_;

void forget_lock() {
  meetings_lock_ = os::Lock();
}
FORETELL_IN_FORKED_CHILD(forget_lock);

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

void __foretell_block_begin(const char* label) {
  Call call(__builtin_return_address(0));
  if (call) block(call, Op::BlockBegin, label);
}

void __foretell_block_end(const char* label) {
  Call call(__builtin_return_address(0));
  if (call) block(call, Op::BlockEnd, label);
}

void __foretell_benign_race(const volatile void* address, size_t size) {
  Call call(__builtin_return_address(0));
  if (call) put(call.thread, Op::BenignRace, call.site, const_cast<const void*>(address), size);
}

void __foretell_ignore_begin() {
  initialize();
  Thread* thread = active ? self() : nullptr;
  if (thread && !thread->inside) begin_ignoring(thread);
}

void __foretell_ignore_end() {
  Thread* thread = active ? self() : nullptr;
  if (thread && !thread->inside) end_ignoring(thread);
}

void __foretell_happens_before(const volatile void* address) {
  Call call(__builtin_return_address(0));
  if (!call) return;
  before_step(call.thread);
  const AtomicOrder order(tag_of(address));
  // A read-modify-write, so that who comes after is after all that came before, not only the last.
  put(call.thread, Op::AtomicRmw, call.site, tag_of(address), kReleaseByte, 0, 0);
}

void __foretell_happens_after(const volatile void* address) {
  Call call(__builtin_return_address(0));
  if (!call) return;
  before_step(call.thread);
  const AtomicOrder order(tag_of(address));
  put(call.thread, Op::AtomicRead, call.site, tag_of(address), kAcquireByte, 0);
}

void __foretell_event(const char* name, int64_t a, int64_t b) {
  Call call(__builtin_return_address(0));
  if (call) event(call, name, 2, a, b);
}

void __foretell_event_text(const char* name, const char* arguments) {
  Call call(__builtin_return_address(0));
  if (!call) return;
  int64_t values[2] = {};
  uint64_t count = 0;
  while (count < 2 && next_integer(arguments, values[count])) count++;
  event(call, name, count, values[0], values[1]);
}

void __foretell_thread_name(const char* name) {
  Call call(__builtin_return_address(0));
  if (call) name_thread(call.thread, call.thread, name);
}

void __foretell_lock_name(const volatile void* lock, const char* name) {
  Call call(__builtin_return_address(0));
  if (call) name_lock(call.thread, const_cast<const void*>(lock), name);
}

// Works with recording off too: a test may depend on its order.
void __foretell_invisible_barrier(int id, unsigned count) {
  Call call(__builtin_return_address(0));
  const bool controlled = call && mode == Mode::controlled;
  meetings_lock_.lock();
  Meeting* meeting = meetings_.find_or_add(reinterpret_cast<void*>(intptr_t{id} + 1));
  const uint32_t round = meeting->round;
  const bool last = ++meeting->arrived >= count;
  if (last) {
    meeting->arrived = 0;
    __atomic_add_fetch(&meeting->round, 1, __ATOMIC_RELEASE);
  }
  meetings_lock_.unlock();
  if (last) {
    constexpr int kAll = 1 << 30;
    if (controlled) wake(Wait::barrier, meeting);
    os::futex_wake(&meeting->round, kAll);
    return;
  }
  while (__atomic_load_n(&meeting->round, __ATOMIC_ACQUIRE) == round) {
    if (controlled) {
      block(call.thread, Wait::barrier, meeting);
    } else {
      os::futex_wait(&meeting->round, round);
    }
  }
}

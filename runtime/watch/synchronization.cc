// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/synchronization.h"

#include "runtime/platform/address_table.h"
#include "runtime/platform/handlers.h"
#include "runtime/platform/os.h"
#include "runtime/watch/writers.h"

namespace foretell::rt::watch {

using recording::Op;

namespace {

struct ThreadClocks {
  Watcher* begun = nullptr;  // made by Fork for ThreadBegin
  Clock end;
};
AddressTable<ThreadClocks> threads_;  // by number, from 1

// A generation may be entered while threads still leave the one before it.
struct Barrier {
  uint64_t generation[2] = {};
  Clock clock[2];
};
AddressTable<Barrier> barriers_;

struct Atomic {
  Clock clock;  // of the last write, if that was a release
};
AddressTable<Atomic> atomics_;

// Of notifications and posts, by their tickets. The oldest are forgotten, which leaves out orders.
struct Ticket {
  uint64_t number;
  Clock clock;
};
constexpr uint64_t kMostTickets = 1 << 12;
Ticket tickets_[kMostTickets];

const void* key_of_thread(const void* number) {
  return reinterpret_cast<const char*>(number) + 1;
}

void release_ticket(Watcher& watcher, uint64_t number) {
  if (number == 0 || number == recording::kNoTicket) return;
  Ticket& ticket = tickets_[number % kMostTickets];
  if (ticket.number != number) ticket.clock.forget();
  ticket.number = number;
  release_into(watcher, ticket.clock);
}

void acquire_ticket(Watcher& watcher, uint64_t number) {
  if (number == 0 || number == recording::kNoTicket) return;
  const Ticket& ticket = tickets_[number % kMostTickets];
  if (ticket.number == number) acquire_from(watcher, ticket.clock);
}

void enter_barrier(Watcher& watcher, const void* address, uint64_t generation) {
  Barrier* barrier = barriers_.find_or_add(address);
  if (!barrier) return;
  Clock& clock = barrier->clock[generation % 2];
  if (barrier->generation[generation % 2] != generation) clock.forget();
  barrier->generation[generation % 2] = generation;
  release_into(watcher, clock);
}

void leave_barrier(Watcher& watcher, const void* address, uint64_t generation) {
  const Barrier* barrier = barriers_.find(address);
  if (barrier && barrier->generation[generation % 2] == generation) {
    acquire_from(watcher, barrier->clock[generation % 2]);
  }
}

bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel ||
         order == MemoryOrder::seq_cst;
}
bool acquires(MemoryOrder order) {
  return order == MemoryOrder::acquire || order == MemoryOrder::consume ||
         order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}

void follow_atomic(Watcher& watcher, const Step& step) {
  const auto value = recording::AtomicValue::of(step.words[0]);
  const uint64_t size = value.size ? value.size : 1;
  touch_atomically(watcher, step.address, size);
  if (step.op != Op::AtomicRead) forget_writers(step.address, size);
  if (!follows_reads) return;
  Atomic* atomic = atomics_.find_or_add(step.address);
  if (!atomic) return;
  if (step.op != Op::AtomicWrite && acquires(value.order)) acquire_from(watcher, atomic->clock);
  if (step.op == Op::AtomicRead) return;
  // Who reads what an update wrote reads, by way of it, what was there before.
  if (step.op == Op::AtomicWrite) atomic->clock.forget();
  if (releases(value.order)) release_into(watcher, atomic->clock);
}

void begin_thread(Watcher*& watcher, const Step& step) {
  ThreadClocks* clocks = threads_.find(key_of_thread(step.address));
  watcher = clocks ? clocks->begun : nullptr;
  if (!watcher) watcher = new_watcher(nullptr);
}

void fork_thread(Watcher& watcher, const Step& step) {
  ThreadClocks* clocks = threads_.find_or_add(key_of_thread(step.address));
  if (!clocks) return;
  clocks->begun = new_watcher(&watcher);
  clocks->end.forget();
}

void end_thread(Watcher& watcher, const Step& step) {
  ThreadClocks* clocks = threads_.find_or_add(key_of_thread(step.address));
  if (clocks) clocks->end.assign(watcher.clock);
  end_watcher(&watcher);
}

void join_thread(Watcher& watcher, const Step& step) {
  const ThreadClocks* clocks = threads_.find(key_of_thread(step.address));
  if (clocks) acquire_from(watcher, clocks->end);
}

}  // namespace

void follow(Watcher*& watcher, const Step& step) {
  if (step.op == Op::ThreadBegin) return begin_thread(watcher, step);
  if (!watcher) return;
  switch (step.op) {
    case Op::Fork:
      return fork_thread(*watcher, step);
    case Op::ThreadEnd:
      return end_thread(*watcher, step);
    case Op::Join:
      return join_thread(*watcher, step);
    case Op::BarrierEnter:
      return enter_barrier(*watcher, step.address, step.words[0]);
    case Op::BarrierExit:
      return leave_barrier(*watcher, step.address, step.words[0]);
    case Op::Acquire:
      return watcher->locks.add(step.address);
    case Op::Release:
      return watcher->locks.remove(step.address);
    case Op::NotifyOne:
    case Op::NotifyAll:
    case Op::SemaphorePost:
      return release_ticket(*watcher, step.words[1]);
    case Op::WaitEnd:
    case Op::SemaphoreWait:
      return acquire_ticket(*watcher, step.words[1]);
    case Op::AtomicRead:
    case Op::AtomicWrite:
    case Op::AtomicRmw:
      return follow_atomic(*watcher, step);
    case Op::Alloc:
      return allocate(*watcher, step.address, step.words[0], step.key);
    case Op::Free:
      return free(*watcher, step.address);
    case Op::BlockBegin:
      watcher->blocks++;
      return;
    case Op::BlockEnd:
      watcher->blocks -= watcher->blocks > 0;
      return;
    default:
      return;
  }
}

namespace {

void forget_clocks() {
  threads_ = {};
  barriers_ = {};
  atomics_ = {};
  for (Ticket& ticket : tickets_) ticket.number = 0;
}
FORETELL_IN_FORKED_CHILD(forget_clocks);

}  // namespace

}  // namespace foretell::rt::watch

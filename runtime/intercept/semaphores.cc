// SPDX-License-Identifier: Apache-2.0

// Semaphores, named and unnamed.
//
// The real semaphore is the truth and is tried. Beside it stands a queue of the tickets of its
// posts: each wait takes the oldest, after the initial count is used up, so a trace says which post
// served which wait. What other processes post to a shared semaphore has no ticket.
#include <fcntl.h>
#include <stdarg.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/platform/address_table.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/schedule/virtual_time.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

// A ring of tickets that doubles when it is full.
class Tickets {
 public:
  void push(uint64_t ticket) {
    if (count_ == size_ && !grow()) return;
    ring_[(first_ + count_++) % size_] = ticket;
  }
  uint64_t pop() {
    if (count_ == 0) return recording::kNoTicket;
    const uint64_t ticket = ring_[first_];
    first_ = (first_ + 1) % size_;
    count_--;
    return ticket;
  }
  void clear() { first_ = count_ = 0; }

 private:
  bool grow() {
    const size_t size = size_ ? size_ * 2 : 8;
    const size_t bytes = size * sizeof(uint64_t);
    auto* ring = static_cast<uint64_t*>(size_ ? os::allocate(bytes) : os::allocate_small(bytes));
    if (!ring) return false;
    for (size_t i = 0; i < count_; i++) ring[i] = ring_[(first_ + i) % size_];
    if (size_ > 8) os::release(ring_, size_ * sizeof(uint64_t));
    ring_ = ring;
    size_ = size;
    first_ = 0;
    return true;
  }

  uint64_t* ring_ = nullptr;
  size_t size_ = 0;
  size_t first_ = 0;
  size_t count_ = 0;
};

struct Semaphore {
  bool known = false;
  bool shared = false;   // with other processes
  uint32_t opened = 0;   // by sem_open, and not closed since
  uint64_t initial = 0;  // what is left of its initial count
  Tickets tickets;
};

// Controlled mode only: in parallel mode nobody can say which post served which wait.
AddressTable<Semaphore> semaphores_;

Semaphore* begin_life(sem_t* semaphore, uint64_t initial, bool shared) {
  Semaphore* state = semaphores_.find_or_add(semaphore);
  if (!state) return nullptr;
  state->known = true;
  state->shared = shared;
  state->initial = initial;
  state->tickets.clear();
  return state;
}

Semaphore* state_of(sem_t* semaphore) {
  Semaphore* state = semaphores_.find(semaphore);
  if (state && state->known) return state;
  int value = 0;
  sem_getvalue(semaphore, &value);
  return begin_life(semaphore, static_cast<uint64_t>(value), false);
}

void took_one(Thread* thread, uint32_t site, sem_t* semaphore, uint64_t limit) {
  uint64_t ticket = 0;
  if (mode == Mode::controlled) {
    Semaphore* state = state_of(semaphore);
    ticket = recording::kNoTicket;
    if (state && state->initial > 0) {
      state->initial--;
    } else if (state) {
      ticket = state->tickets.pop();
    }
  }
  put(thread, Op::SemaphoreWait, site, semaphore, limit, ticket);
}

bool has_count(Thread* thread) {
  int value = 0;
  sem_getvalue(static_cast<sem_t*>(const_cast<void*>(thread->wait_object)), &value);
  return value > 0;
}

int fail(int error) {
  errno = error;
  return -1;
}

template <class RealWait>
int wait_until(Thread* thread, uint32_t site, sem_t* semaphore, uint64_t deadline,
               RealWait real_wait) {
  obey_cancellation(thread);
  before_step(thread);
  if (mode == Mode::parallel) {
    const int result = call_cancellable(thread, real_wait, [] {});
    if (result != 0) return result;
    before_step(thread);
    took_one(thread, site, semaphore, limit_of(deadline));
    return 0;
  }
  Semaphore* state = state_of(semaphore);
  while (real.sem_trywait(semaphore) != 0) {
    if (errno != EAGAIN) return -1;
    if (state && state->shared) {
      thread->ready = has_count;
      thread->ready_outside = true;
    }
    const Woken woken = block_interruptibly(thread, Wait::semaphore, semaphore, deadline);
    before_step(thread);
    if (woken == Woken::cancelled) obey_cancellation(thread);
    if (woken == Woken::interrupted && !thread->restarts) return fail(EINTR);
    if (woken == Woken::timed_out && real.sem_trywait(semaphore) != 0) return fail(ETIMEDOUT);
    if (woken == Woken::timed_out) break;
  }
  took_one(thread, site, semaphore, limit_of(deadline));
  return 0;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int sem_init(sem_t* semaphore, int shared, unsigned value) {
  Call call(__builtin_return_address(0));
  const int result = real.sem_init(semaphore, shared, value);
  if (call && result == 0 && mode == Mode::controlled) begin_life(semaphore, value, shared != 0);
  return result;
}

FORETELL_INTERCEPT sem_t* sem_open(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto permissions = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  const auto value = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  Call call(__builtin_return_address(0));
  sem_t* semaphore = real.sem_open(name, flags, permissions, value);
  if (!call || semaphore == SEM_FAILED || mode == Mode::parallel) return semaphore;
  Semaphore* state = semaphores_.find_or_add(semaphore);
  if (state && state->opened == 0) {
    int count = 0;
    sem_getvalue(semaphore, &count);
    begin_life(semaphore, static_cast<uint64_t>(count), true);
  }
  if (state) state->opened++;
  return semaphore;
}

FORETELL_INTERCEPT int sem_close(sem_t* semaphore) {
  Call call(__builtin_return_address(0));
  const int result = real.sem_close(semaphore);
  if (!call || result != 0 || mode == Mode::parallel) return result;
  Semaphore* state = semaphores_.find(semaphore);
  if (state && state->opened > 0 && --state->opened == 0) state->known = false;
  return result;
}

FORETELL_INTERCEPT int sem_wait(sem_t* semaphore) {
  Call call(__builtin_return_address(0));
  if (!call) return real.sem_wait(semaphore);
  return wait_until(call.thread, call.site, semaphore, kForever,
                    [=] { return real.sem_wait(semaphore); });
}

FORETELL_INTERCEPT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || !can_wait_until(CLOCK_REALTIME, until)) return real.sem_timedwait(semaphore, until);
  return wait_until(call.thread, call.site, semaphore, virtual_deadline(CLOCK_REALTIME, until),
                    [=] { return real.sem_timedwait(semaphore, until); });
}

FORETELL_INTERCEPT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  Call call(__builtin_return_address(0));
  if (!call || !can_wait_until(clock, until)) return real.sem_clockwait(semaphore, clock, until);
  return wait_until(call.thread, call.site, semaphore, virtual_deadline(clock, until),
                    [=] { return real.sem_clockwait(semaphore, clock, until); });
}

FORETELL_INTERCEPT int sem_trywait(sem_t* semaphore) {
  Call call(__builtin_return_address(0));
  if (!call) return real.sem_trywait(semaphore);
  before_step(call.thread);
  const int result = real.sem_trywait(semaphore);
  if (result == 0) took_one(call.thread, call.site, semaphore, foretell::recording::kLimited);
  return result;
}

FORETELL_INTERCEPT int sem_post(sem_t* semaphore) {
  Call call(__builtin_return_address(0));
  if (!call) return real.sem_post(semaphore);
  before_step(call.thread);
  if (mode == Mode::parallel) {
    // Whoever it wakes may record its wait before the call returns.
    put(call.thread, Op::SemaphorePost, call.site, semaphore, 0, uint64_t{0});
    return real.sem_post(semaphore);
  }
  Semaphore* state = state_of(semaphore);
  const int result = real.sem_post(semaphore);
  if (result != 0) return result;
  const uint64_t ticket = new_ticket();
  if (state) state->tickets.push(ticket);
  wake(Wait::semaphore, semaphore, 1);
  put(call.thread, Op::SemaphorePost, call.site, semaphore, 0, ticket);
  return 0;
}

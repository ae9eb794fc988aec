// SPDX-License-Identifier: Apache-2.0

// Barriers.
//
// Counted by the runtime, so that every thread knows the generation it belongs to; the real
// barrier is only asked how many it is for. A barrier shared between processes is left to libc.
//
// Generations go on counting when a barrier is made anew at the same address: a generation names
// one meeting.
#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/platform/address_table.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

struct Barrier {
  uint32_t arrived = 0;
  uint32_t generation = 0;
};

os::Lock lock_;  // parallel: what follows
AddressTable<Barrier> barriers_;

// How glibc lays a barrier out.
struct RealBarrier {
  uint32_t in;
  uint32_t round;
  uint32_t count;
  int32_t shared;
  uint32_t out;
};
static_assert(sizeof(RealBarrier) <= sizeof(pthread_barrier_t));

const RealBarrier& inside_of(const pthread_barrier_t* barrier) {
  return *reinterpret_cast<const RealBarrier*>(barrier);
}

// True for the thread that completes the generation; it must then wake the others.
bool arrive(Barrier& state, const pthread_barrier_t* barrier) {
  if (++state.arrived < inside_of(barrier).count) return false;
  state.arrived = 0;
  __atomic_add_fetch(&state.generation, 1, __ATOMIC_RELEASE);
  return true;
}

int wait_in_parallel(Thread* thread, uint32_t site, pthread_barrier_t* barrier) {
  lock_.lock();
  Barrier* state = barriers_.find_or_add(barrier);
  if (!state) {
    lock_.unlock();
    return real.pthread_barrier_wait(barrier);
  }
  const uint32_t generation = state->generation;
  put(thread, Op::BarrierEnter, site, barrier, generation);
  const bool last = arrive(*state, barrier);
  lock_.unlock();
  if (last) {
    constexpr int kAll = 1 << 30;
    os::futex_wake(&state->generation, kAll);
  } else {
    while (__atomic_load_n(&state->generation, __ATOMIC_ACQUIRE) == generation) {
      os::futex_wait(&state->generation, generation);
    }
  }
  before_step(thread);
  put(thread, Op::BarrierExit, site, barrier, generation);
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int wait_for_token(Thread* thread, uint32_t site, pthread_barrier_t* barrier) {
  Barrier* state = barriers_.find_or_add(barrier);
  if (!state) return real.pthread_barrier_wait(barrier);
  const uint32_t generation = state->generation;
  put(thread, Op::BarrierEnter, site, barrier, generation);
  const bool last = arrive(*state, barrier);
  if (last) wake(Wait::barrier, barrier);
  // A thread takes no step while it is at a barrier: handlers of signals run afterward.
  bool signal = false;
  while (state->generation == generation) {
    signal |= signal_waits(thread);
    thread->signals.waiting = false;
    suspend(thread, Wait::barrier, barrier, kForever);
  }
  before_step(thread);
  put(thread, Op::BarrierExit, site, barrier, generation);
  if (signal || signal_waits(thread)) handle_signals(thread);
  return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  Call call(__builtin_return_address(0));
  if (!call) return real.pthread_barrier_wait(barrier);
  if (inside_of(barrier).shared) {
    return call_outside(call.thread, [=] { return real.pthread_barrier_wait(barrier); });
  }
  before_step(call.thread);
  return mode == Mode::parallel ? wait_in_parallel(call.thread, call.site, barrier)
                                : wait_for_token(call.thread, call.site, barrier);
}

FORETELL_INTERCEPT int pthread_barrier_init(pthread_barrier_t* barrier,
                                            const pthread_barrierattr_t* attributes,
                                            unsigned count) {
  Call call(__builtin_return_address(0));
  const int result = real.pthread_barrier_init(barrier, attributes, count);
  if (!call || result != 0) return result;
  os::Guard guard(lock_);
  if (Barrier* state = barriers_.find(barrier)) state->arrived = 0;
  return result;
}

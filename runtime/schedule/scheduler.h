// SPDX-License-Identifier: Apache-2.0

// The controlled scheduler: one token, real threads.
//
// Only the thread that holds the token runs; the others sleep, each on a futex of its own. Before
// each step the holder checks whether its budget is used up, and if so a strategy chooses the next
// thread and its number of steps. What a thread does between two steps is invisible to the others,
// so the order of steps is the whole schedule, and a seed repeats it.
//
// Blocking is ours too: an operation that would block is tried without blocking, and if that fails
// the thread is marked as blocked on the object until someone who changes the object wakes it. So
// the scheduler knows at once when no thread can continue: a deadlock of the program.
//
// Threads that block where we cannot try (system calls) leave the scheduler and come back:
// external. The scheduler does not control when they return; each return is counted.
#pragma once

#include "runtime/threads/thread.h"

namespace foretell::rt {

void start_scheduler();

// The thread gives the token away until somebody wakes it, its virtual deadline passes, or it is
// interrupted; `woken` says which. Controlled mode only.
void suspend(Thread* thread, Wait wait, const void* object, uint64_t deadline);

// Wakes up to `count` threads blocked on the object, those that wait longest first, and tells each
// the ticket. Returns how many. Controlled mode only, by the holder of the token.
uint32_t wake(Wait wait, const void* object, uint32_t count = ~uint32_t{0}, uint64_t ticket = 0);

// The target was cancelled, which ends its waiting if that is interruptible; or it has a signal to
// handle.
void interrupt(Thread* target, Woken why);

// The program has asked the kernel for signals: threads that all wait may be waiting for one.
extern bool timers_armed;
// A thread has got a signal to handle since the scheduler last asked all of them.
extern volatile bool signal_came;

// How many threads are blocked on the object.
uint32_t waiting(Wait wait, const void* object);

// The thread would rather have others run: sched_yield, a spin loop.
void yield(Thread* thread);
// The thread stops where it takes no step (option hold_after), if its turn is over.
void hold(Thread* thread);

// Around a call that may block outside. leave gives the token away, enter gets it back.
void leave_control(Thread* thread);
void enter_control(Thread* thread, recording::Why why);

// A new thread may be chosen from here on. It waits for its first turn on the thread itself.
void admit(Thread* thread);
void await_first_turn(Thread* thread);

// The thread has ended: gives the token away permanently.
void give_up_token(Thread* thread);

// Virtual time, nanoseconds since 1970. Passes with steps and calls, and jumps when all sleep.
uint64_t virtual_now();
// Virtual deadline of an absolute or relative time of any clock.
uint64_t deadline_in(uint64_t nanoseconds);

// Called by the keeper: takes the token from a thread that is lost in uninstrumented code.
void watch_for_lost_threads();

// The holder of the token has used its budget, or is about to synchronize.
void decide(Thread* thread, bool synchronizes);

// At the end of the process: the steps the calling thread took since it last came to the scheduler.
void count_last_steps();

}  // namespace foretell::rt

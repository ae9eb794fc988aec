// SPDX-License-Identifier: Apache-2.0

// Thread: what the runtime knows of a thread of the program.
#pragma once

#include <pthread.h>
#include <signal.h>

#include "recording/hooks.h"
#include "runtime/record/recorder.h"
#include "runtime/threads/candidate.h"
#include "runtime/threads/filter.h"
#include "runtime/watch/watcher.h"

namespace foretell::rt {

inline constexpr uint64_t kForever = ~uint64_t{0};
// What the record of a wait until then says of it.
constexpr uint64_t limit_of(uint64_t deadline) {
  return deadline == kForever ? 0 : recording::kLimited;
}

enum class Run : uint32_t {
  runnable,  // wants the token; one of these has it
  blocked,   // until wake() or its deadline
  external,  // outside the scheduler's control: in a blocking system call, or lost
  ended,
};

enum class Wait : uint32_t {
  none,
  lock,
  condition,
  barrier,
  semaphore,
  thread,
  futex,
  once,
  sleep,
  descriptor,
  end  // of the process, which it brings about
};

enum class Woken : uint32_t { notified, timed_out, cancelled, interrupted };

// The reads of a thread that watches (repeats.h).
struct Reads {
  struct GranuleRead* at = nullptr;
  size_t room = 0;               // a power of two
  size_t count = 0;              // of the segment
  uint64_t seen = ~uint64_t{0};  // filtering.seen in the segment
  uint64_t segment = 0;          // of those with reads, from 1: memory that is new is of none
};

// run, wait, ... are protected by the scheduler's lock; what stands under "own" is touched by the
// thread itself only.
struct Thread : Candidate {
  uint32_t id = 0;
  uint32_t parent = 0;
  uint32_t children = 0;
  uint32_t os_id = 0;
  Thread* next = nullptr;  // all threads ever, by creation

  Run run = Run::runnable;
  uint32_t turn = 0;  // futex: 1 when the token has been passed to it
  bool lost = false;  // taken off the token by the watchdog
  Wait wait = Wait::none;
  const void* wait_object = nullptr;
  uint64_t wait_order = 0;
  uint64_t deadline = kForever;  // in virtual time
  Woken woken{};
  uint64_t ticket = 0;               // of the notify or post that woke it
  bool (*ready)(Thread*) = nullptr;  // asked before each decision whether it can go on
  bool ready_outside = false;        // the answer depends on more than this process
  bool cancelled = false;            // by pthread_cancel
  bool cancel_disabled = false;      // PTHREAD_CANCEL_DISABLE
  bool cancel_at_once = false;       // PTHREAD_CANCEL_ASYNCHRONOUS
  bool interruptible = false;        // cancellation ends its waiting
  uint64_t ahead = 0;     // steps taken while the plan waited for another, not yet its turn
  bool yielding = false;  // stopped in yield(), and not before a step
  bool restarts = false;  // interrupted by handlers that all have SA_RESTART

  pthread_t handle{};
  bool joinable = true;
  bool joined = false;
  void* (*start)(void*) = nullptr;
  int (*c11_start)(void*) = nullptr;  // instead, for thrd_create
  void* argument = nullptr;
  ForetellThread* slots = nullptr;

  struct Signals {
    static constexpr uint32_t kQueue = 16;
    volatile bool waiting = false;  // there may be something to handle
    volatile bool outside = false;  // in a real call, where a handler may run at once
    uint64_t blocked = 0;           // the thread's mask
    uint64_t sent = 0;              // by other threads of the program
    uint64_t awaited = 0;           // by sigwait and similar functions
    // Caught and kept; written by the thread's own signal handler.
    uint32_t first = 0;
    uint32_t last = 0;
    siginfo_t queue[kQueue];
    // In the handler of a fault: where the stream goes on.
    uint32_t faults = 0;
    char* held_cursor = nullptr;
    int64_t held_fuel = 0;
  } signals;

  // own
  void (*before_next_step)(Thread*) = nullptr;  // called before each step while it is set
  struct Once {
    const int* control;
    uint32_t site;
  };
  static constexpr uint32_t kOnces = 8;
  Once once[kOnces];            // routines of pthread_once that it runs, the innermost last
  uint32_t onces = 0;           // how many of them; deeper ones are not kept
  bool ends_once = false;       // it is about to record that one of them was left
  uint32_t call_site = 0;       // of the intercepted function it is in
  uint32_t inside = 0;          // > 0: calls of intercepted functions are the runtime's own
  uint32_t ignoring = 0;        // depth of ignore regions
  char* held_cursor = nullptr;  // where the stream goes on after an ignore region
  Stream stream;                // parallel
  uint64_t given = 0;           // fuel as of the last settling
  uint64_t budget = 0;          // steps from then until the scheduler decides again
  uint64_t steps = 0;           // taken until then
  uint64_t steps_at_yield = 0;  // when it last yielded although it was its turn
  Filtering filtering;
  watch::Watcher* watcher = nullptr;  // while it watches
  int64_t work_then = 0;              // slots->work when it was last counted
  uint64_t steps_at_work = 0;         // when `work` was last used up
  uint64_t* told_frames = nullptr;    // those of slots->frames that are recorded
  uint64_t told = 0;                  // how many
  Reads reads;
  bool records_all = false;  // its inline checks find nothing, and its filter is on
  bool is_held = false;      // stops before a read that is left out, when hits_left is used up
  const void* spin_address = nullptr;
  uint64_t spin_value = 0;
  uint32_t spin_count = 0;
  uint32_t clock_calls = 0;
};

// The thread that is attached, if any.
extern __thread Thread* attached_thread __attribute__((tls_model("initial-exec")));

// Whether the thread has signals to handle.
inline bool signal_waits(const Thread* thread) {
  return thread->signals.waiting;
}

// All threads ever, in order of creation.
Thread* all_threads();
Thread* find_thread(uint32_t id);
Thread* thread_of(pthread_t handle);      // that can be joined
Thread* living_thread(pthread_t handle);  // that has not ended
Thread* joined_thread(pthread_t handle);  // the last one of those

// `id` is the number that a schedule gives the thread, or 0 if it does not say. Null if there is no
// memory.
Thread* new_thread(const Thread* parent, uint32_t id);
void forget_thread(Thread* thread);  // that could not be created after all

// Unique in the run, from 1. 0 means that nobody knows which notify or post it was (parallel).
uint64_t new_ticket();

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// The lockstep is one counter: the step whose turn it is. It is a volatile int that threads sleep
// on with the futex system call, ordered by a fence instruction in inline assembler. There is
// nothing in it that a race detector takes for synchronization: no atomic, no pthread call, no
// instrumented access. Where Foretell replays the program under a schedule, the schedule alone
// keeps the order: the lockstep would keep everybody from showing another one.
#include "tiddle/cxx_runtime.h"

namespace foretell::tiddle {

const std::string_view kCxxIncludes = R"(#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
)";

const std::string_view kCxxAnnotations = R"(
#if __has_include(<foretell/foretell.h>)
#include <foretell/foretell.h>
#endif
#ifndef FORETELL_ATOMIC_BLOCK_BEGIN
#define FORETELL_ATOMIC_BLOCK_BEGIN(label)
#endif
#ifndef FORETELL_ATOMIC_BLOCK_END
#define FORETELL_ATOMIC_BLOCK_END(label)
#endif
#ifndef FORETELL_USER_EVENT
#define FORETELL_USER_EVENT(name, arguments)
#endif
)";

const std::string_view kCxxRuntime = R"(
// What follows keeps the order. A tool that watches this program must not see it: it is not
// instrumented, and all names begin with foretell_lockstep_.
#if defined(__clang__)
#define FORETELL_INVISIBLE \
  __attribute__((noinline, no_sanitize("thread"), disable_sanitizer_instrumentation, unused))
#else
#define FORETELL_INVISIBLE __attribute__((noinline, no_sanitize("thread"), unused))
#endif

FORETELL_INVISIBLE static void foretell_lockstep_fence() {
#if defined(__x86_64__)
  __asm__ volatile("mfence" ::: "memory");
#elif defined(__aarch64__)
  __asm__ volatile("dmb ish" ::: "memory");
#else
  __sync_synchronize();
#endif
}

FORETELL_INVISIBLE static void foretell_lockstep_log(const char* line) {
  (void)::syscall(SYS_write, 1, line, std::strlen(line));
}

// The handle of a thread, as soon as it is created.
FORETELL_INVISIBLE static ::pthread_t foretell_lockstep_thread(const volatile ::pthread_t& handle) {
  while (handle == 0) ::syscall(SYS_sched_yield);
  return handle;
}

// Pointers to memory that the trace allocates: handing them over is no operation of the trace.
FORETELL_INVISIBLE static void foretell_lockstep_keep(unsigned char* volatile& pointer,
                                                      void* memory) {
  foretell_lockstep_fence();
  pointer = static_cast<unsigned char*>(memory);
}
FORETELL_INVISIBLE static unsigned char* foretell_lockstep_memory(
    unsigned char* volatile& pointer) {
  while (pointer == nullptr) ::syscall(SYS_sched_yield);
  foretell_lockstep_fence();
  return pointer;
}

[[noreturn]] FORETELL_INVISIBLE static void foretell_lockstep_fail(const char* operation,
                                                                  const char* what) {
  std::fprintf(stderr, "%s: %s\n", operation, what);
  std::_Exit(1);
}

FORETELL_INVISIBLE static void foretell_lockstep_expect(const char* operation, std::int64_t found,
                                                        std::int64_t expected) {
  if (found == expected) return;
  std::fprintf(stderr, "%s: expected %lld, found %lld\n", operation,
               static_cast<long long>(expected), static_cast<long long>(found));
  std::_Exit(1);
}

// A value that is read must not be optimized away; a branch must not be decided by the compiler.
template <class T>
FORETELL_INVISIBLE static void foretell_lockstep_use(T value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}
FORETELL_INVISIBLE static std::int64_t foretell_lockstep_opaque(std::int64_t value) {
  __asm__ volatile("" : "+r"(value) : : "memory");
  return value;
}
)";

const std::string_view kCxxLockstep = R"(
static volatile int foretell_lockstep_turn = 0;

// Whether Foretell forces a schedule on this run: FORETELL_OPTIONS has a key `schedule`.
FORETELL_INVISIBLE static bool foretell_lockstep_is_off() {
  static volatile int known = 0;  // 1: off, 2: on; whoever is first finds out
  if (known == 0) {
    static const char key[] = "schedule=";
    const char* options = std::getenv("FORETELL_OPTIONS");
    bool off = false;
    for (const char* at = options; at != nullptr && *at != 0 && !off; ++at) {
      if (at != options && at[-1] != ':') continue;
      int same = 0;
      while (key[same] != 0 && at[same] == key[same]) ++same;
      off = key[same] == 0;
    }
    known = off ? 1 : 2;
  }
  return known == 1;
}

// Returns when it is the turn of `step`.
FORETELL_INVISIBLE static void foretell_lockstep_await(int step) {
  while (!foretell_lockstep_is_off()) {
    const int turn = foretell_lockstep_turn;
    if (turn == step) break;
    ::syscall(SYS_futex, &foretell_lockstep_turn, FUTEX_WAIT_PRIVATE, turn, nullptr, nullptr, 0);
  }
  foretell_lockstep_fence();
}

// Ends `step`; the next one may begin.
FORETELL_INVISIBLE static void foretell_lockstep_done(int step) {
  if (foretell_lockstep_is_off()) return;
  foretell_lockstep_fence();
  foretell_lockstep_turn = step + 1;
  ::syscall(SYS_futex, &foretell_lockstep_turn, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// A step that never comes: the trace ends while its thread waits.
[[maybe_unused]] static constexpr int foretell_lockstep_never = INT_MAX;
)";

const std::string_view kCxxWords = R"(
// Parts of byte arrays, accessed as integers at any address.
using foretell_word1 = std::uint8_t;
using foretell_word2 __attribute__((may_alias, aligned(1))) = std::uint16_t;
using foretell_word4 __attribute__((may_alias, aligned(1))) = std::uint32_t;
using foretell_word8 __attribute__((may_alias, aligned(1))) = std::uint64_t;
using foretell_atomic1 = std::uint8_t;
using foretell_atomic2 __attribute__((may_alias)) = std::uint16_t;
using foretell_atomic4 __attribute__((may_alias)) = std::uint32_t;
using foretell_atomic8 __attribute__((may_alias)) = std::uint64_t;

// The number that the first bytes of a range stand for.
FORETELL_INVISIBLE static std::int64_t foretell_lockstep_number(const unsigned char* bytes,
                                                                int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return static_cast<std::int64_t>(value);
}
)";

const std::string_view kCxxWaiter = R"(
// What a condition variable unlocks when a thread begins to wait and locks when it wakes. Giving
// the lock up ends the step of the wait. The condition variable makes giving it up and beginning to
// wait one action, so that a notify in the next step finds the waiter. Whatever wakes the thread,
// and whenever, it takes the lock back in the step of its wake.
template <class Mutex>
struct Waiter {
  Mutex& mutex;
  int depth, wait_step, wake_step;

  void unlock() {
    for (int i = 0; i < depth; ++i) mutex.unlock();
    foretell_lockstep_done(wait_step);
  }
  void lock() {
    foretell_lockstep_await(wake_step);
    for (int i = 0; i < depth; ++i) mutex.lock();
  }
};
)";

const std::string_view kCxxFreeWaiter = R"(
// What a condition variable unlocks when a thread begins to wait and locks when it wakes.
template <class Mutex>
struct Waiter {
  Mutex& mutex;
  int depth;

  void unlock() {
    for (int i = 0; i < depth; ++i) mutex.unlock();
  }
  void lock() {
    for (int i = 0; i < depth; ++i) mutex.lock();
  }
};
)";

}  // namespace foretell::tiddle

// SPDX-License-Identifier: Apache-2.0

#include "runtime/platform/os.h"

#include <linux/futex.h>
#include <sys/mman.h>

#include "runtime/platform/handlers.h"

namespace foretell::rt::os {
namespace {

constexpr long kFailed = -4095;  // results from here to -1 are errors

Lock small_lock;
char* small_at = nullptr;
size_t small_left = 0;

}  // namespace

void* allocate(size_t size) {
  const long at = call(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at >= kFailed && at < 0 ? nullptr : reinterpret_cast<void*>(at);
}

void release(void* memory, size_t size) {
  call(SYS_munmap, word(memory), static_cast<long>(size));
}

void* allocate_small(size_t size) {
  constexpr size_t kBlock = 1 << 16;
  size = (size + 63) & ~size_t{63};
  if (size > kBlock / 4) return allocate(size);
  Guard guard(small_lock);
  if (small_left < size) {
    small_at = static_cast<char*>(allocate(kBlock));
    small_left = small_at ? kBlock : 0;
    if (!small_at) return nullptr;
  }
  void* result = small_at;
  small_at += size;
  small_left -= size;
  return result;
}

namespace {

void forget_locks() {
  small_lock = Lock();
}
FORETELL_IN_FORKED_CHILD(forget_locks);

}  // namespace

void futex_wait(const uint32_t* word_, uint32_t expected, uint64_t timeout_ns) {
  timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                   static_cast<long>(timeout_ns % 1'000'000'000)};
  call(SYS_futex, word(word_), FUTEX_WAIT_PRIVATE, expected, timeout_ns ? word(&timeout) : 0);
}

void futex_wake(uint32_t* word_, int count) {
  call(SYS_futex, word(word_), FUTEX_WAKE_PRIVATE, count);
}

uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  call(SYS_clock_gettime, clock, word(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void sleep_ns(uint64_t ns) {
  timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  call(SYS_nanosleep, word(&time), 0);
}

uint32_t thread_id() {
  return static_cast<uint32_t>(call(SYS_gettid));
}

uint32_t process_id() {
  return static_cast<uint32_t>(call(SYS_getpid));
}

void exit_process(ExitStatus status) {
  for (;;) call(SYS_exit_group, static_cast<long>(status));
}

size_t length(const char* text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}

void append_number(char*& at, uint32_t number) {
  char digits[12];
  size_t n = 0;
  do digits[n++] = static_cast<char>('0' + number % 10);
  while (number /= 10);
  while (n > 0) *at++ = digits[--n];
  *at = 0;
}

bool equal(const char* a, const char* b, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

void copy(void* to, const void* from, size_t size) {
  void* d = to;
  const void* s = from;
  asm volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(size) : : "memory");
}

void clear(void* at, size_t size) {
  asm volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(0) : "memory");
}

void complain(const char* first, const char* second, const char* third) {
  char line[512];
  size_t used = 0;
  const char* pieces[] = {"foretell: ", first, second, third, "\n"};
  for (const char* piece : pieces) {
    for (const char* c = piece; *c && used < sizeof line; c++) line[used++] = *c;
  }
  call(SYS_write, 2, word(line), static_cast<long>(used));
}

void Lock::lock() {
  uint32_t seen = 0;
  if (__atomic_compare_exchange_n(&state_, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    return;
  }
  // Mostly it is given back sooner than the kernel could put a thread to sleep.
  constexpr int kSpins = 64;
  for (int i = 0; i < kSpins; i++) {
    __builtin_ia32_pause();
    seen = __atomic_load_n(&state_, __ATOMIC_RELAXED);
    if (seen == 2) break;
    if (seen == 0 &&
        __atomic_compare_exchange_n(&state_, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return;
    }
  }
  while (__atomic_exchange_n(&state_, 2, __ATOMIC_ACQUIRE) != 0) futex_wait(&state_, 2);
}

void Lock::unlock() {
  if (__atomic_exchange_n(&state_, 0, __ATOMIC_RELEASE) == 2) futex_wake(&state_, 1);
}

}  // namespace foretell::rt::os

// SPDX-License-Identifier: Apache-2.0

// The whole operating-system seam of the runtime: raw Linux system calls.
//
// The runtime interposes libc, so it must not call libc for itself: a hook may run inside malloc,
// before constructors, in a signal handler. Nothing here sets errno; results are the kernel's,
// errors negative.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/platform/exit_status.h"

#if !defined(__x86_64__) || !defined(__linux__)
#error "the runtime knows Linux on x86-64 only"
#endif

namespace foretell::rt::os {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
long word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Zeroed memory, or null.
void* allocate(size_t size);
void release(void* memory, size_t size);
// For many small things that live as long as the process.
void* allocate_small(size_t size);

// Sleeps while *word == expected, at most `timeout_ns` (0: for ever).
void futex_wait(const uint32_t* word, uint32_t expected, uint64_t timeout_ns = 0);
void futex_wake(uint32_t* word, int count);

uint64_t clock_ns(clockid_t clock);
void sleep_ns(uint64_t ns);
uint32_t thread_id();
uint32_t process_id();
[[noreturn]] void exit_process(ExitStatus status);

// Writes "foretell: " and the pieces to standard error, in one write.
void complain(const char* first, const char* second = "", const char* third = "");

size_t length(const char* text);
bool equal(const char* a, const char* b, size_t size);
// Writes it in decimal, with a 0 behind it; `at` is then there.
void append_number(char*& at, uint32_t number);
void copy(void* to, const void* from, size_t size);
void clear(void* at, size_t size);

// A short lock for state that several threads touch at once. Not recursive.
class Lock {
 public:
  void lock();
  void unlock();

 private:
  uint32_t state_ = 0;  // 0 free, 1 held, 2 held and waited for
};

class Guard {
 public:
  explicit Guard(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Lock& lock_;
};

}  // namespace foretell::rt::os

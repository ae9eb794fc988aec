// SPDX-License-Identifier: Apache-2.0

#include "runtime/record/keeper.h"

#include <linux/sched.h>
#include <signal.h>

#include "runtime/platform/options.h"
#include "runtime/platform/os.h"
#include "runtime/record/recorder.h"

namespace foretell::rt {
namespace {

constexpr size_t kStackSize = 1 << 16;

long descriptor_ = -1;  // of the recording, in the keeper's own table
void (*watch_)() = nullptr;

// The keeper's copies of the program's descriptors would keep pipes open that the program closes.
void close_all_but(long kept) {
  constexpr long kLast = ~uint32_t{0};
  const bool closed = (kept <= 0 || os::call(SYS_close_range, 0, kept - 1, 0) == 0) &&
                      os::call(SYS_close_range, kept + 1, kLast, 0) == 0;
  if (closed) return;
  constexpr long kUsual = 4096;  // before Linux 5.9
  for (long fd = 0; fd < kUsual; fd++) {
    if (fd != kept) os::call(SYS_close, fd);
  }
}

void end_process() {
  const char reason[] = "the process ran longer than its time limit and was ended";
  os::copy(header->error, reason, sizeof reason);
  os::call(SYS_kill, os::process_id(), SIGKILL);
}

[[noreturn]] void keep() {
  close_all_but(descriptor_);
  uint64_t next_watch = os::clock_ns(CLOCK_MONOTONIC);
  const uint64_t end = options.time_limit_ms ? next_watch + options.time_limit_ms * 1'000'000 : 0;
  for (;;) {
    while (drain_one_chunk(descriptor_)) {
    }
    const uint64_t now = os::clock_ns(CLOCK_MONOTONIC);
    if (now >= next_watch) {
      next_watch = now + kWatchPeriodMs * 1'000'000;
      if (end && now >= end) end_process();
      if (watch_) watch_();
    }
    wait_for_chunks(kWatchPeriodMs * 1'000'000);
  }
}

}  // namespace

void start_keeper(void (*watch)()) {
  watch_ = watch;
  auto* stack = static_cast<char*>(os::allocate(kStackSize));
  if (!stack) return;
  keeper_runs = true;
  descriptor_ = open_for_keeper();
  // Signals of the program are none of its business.
  uint64_t all = ~uint64_t{0};
  uint64_t before = 0;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&all), os::word(&before), sizeof all);
  // Without CLONE_FILES: it opens and closes without changing the numbers the program gets.
  constexpr long kFlags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  long child;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "call *%[entry]\n\t"
      "1:"
      : "=a"(child)
      : "a"(SYS_clone), "D"(kFlags), "S"(stack + kStackSize - 64), "d"(0), [entry] "r"(&keep)
      : "rcx", "r11", "memory");
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&before), 0, sizeof before);
  if (descriptor_ >= 0) os::call(SYS_close, descriptor_);
  if (child < 0) keeper_runs = false;
}

}  // namespace foretell::rt

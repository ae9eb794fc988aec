#include "keeper.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>

#include "options.h"
#include "os.h"
#include "recorder.h"
#include "scheduler.h"

namespace foretell::rt {
namespace {

constexpr size_t kStackSize = 1 << 16;

long descriptor_ = -1;  // of the recording, in the keeper's own table

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
      if (mode == Mode::controlled) watch();
    }
    wait_for_chunks(kWatchPeriodMs * 1'000'000);
  }
}

// Reads /proc/self/task/ID/stat behind the name, which may hold anything. Null if it is gone.
const char* stat_of(uint32_t os_id, char (&text)[512]) {
  char path[64];
  char digits[12];
  size_t n = 0;
  do digits[n++] = static_cast<char>('0' + os_id % 10);
  while (os_id /= 10);
  const char prefix[] = "/proc/self/task/";
  size_t used = sizeof prefix - 1;
  os::copy(path, prefix, used);
  while (n) path[used++] = digits[--n];
  os::copy(path + used, "/stat", 6);
  const long fd = os::call(SYS_open, os::word(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  const long size = os::call(SYS_read, fd, os::word(text), sizeof text - 1);
  os::call(SYS_close, fd);
  if (size <= 0) return nullptr;
  text[size] = 0;
  const char* after_name = nullptr;
  for (const char* c = text; *c; c++) {
    if (*c == ')') after_name = c + 1;
  }
  return after_name;
}

}  // namespace

uint64_t thread_cpu_ns(uint32_t os_id) {
  char text[512];
  const char* at = stat_of(os_id, text);
  if (!at) return 0;
  // The state is field 3; user and system time are fields 14 and 15, in ticks of 10 ms.
  uint64_t ticks = 0;
  for (int field = 2; *at && field < 15;) {
    if (*at == ' ') {
      field++;
      uint64_t number = 0;
      const char* digit = at + 1;
      for (; *digit >= '0' && *digit <= '9'; digit++) {
        number = number * 10 + static_cast<uint64_t>(*digit - '0');
      }
      if (field >= 14) ticks += number;
    }
    at++;
  }
  return ticks * 10'000'000;
}

bool thread_sleeps(uint32_t os_id) {
  char text[512];
  const char* at = stat_of(os_id, text);
  return at && (at[1] == 'S' || at[1] == 'D');
}

void start_keeper() {
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

// SPDX-License-Identifier: Apache-2.0

#include "runtime/platform/task_status.h"

#include <fcntl.h>

#include "runtime/platform/os.h"

namespace foretell::rt {
namespace {

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

}  // namespace foretell::rt

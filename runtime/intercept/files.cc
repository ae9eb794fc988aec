// SPDX-License-Identifier: Apache-2.0

// Locks on files, and opening what waits for its other end.
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/intercept/channels.h"
#include "runtime/intercept/waiting.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"

namespace foretell::rt {
namespace {

// The lock is of the open file and not of the process, so that threads can exclude each other.
template <class Lock>
int lock_file(const Call& call, int fd, bool unlocks, Lock lock) {
  if (unlocks) note_given(call, fd);
  const int result = static_cast<int>(lock());
  if (!unlocks && result == 0) note_taken(call, fd);
  return result;
}

bool is_fifo(int folder, const char* path, int flags) {
  if (flags & (O_NONBLOCK | O_CREAT | O_PATH)) return false;
  struct stat about;
  return os::call(SYS_newfstatat, folder, os::word(path), os::word(&about), 0) == 0 &&
         S_ISFIFO(about.st_mode);
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int flock(int fd, int operation) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.flock(fd, operation); };
  if (!call) return really();
  return lock_file(call, fd, (operation & ~LOCK_NB) == LOCK_UN, [&]() -> long {
    if (mode == Mode::parallel || operation & LOCK_NB) {
      return call_cancellable(call.thread, really, [] {});
    }
    return attempt_until_done(call, [=] { return os::call(SYS_flock, fd, operation | LOCK_NB); });
  });
}

namespace {

int control_file(const Call& call, int fd, int command, void* argument,
                 int (*real_control)(int, int, ...)) {
  const bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
  const bool of_file = command == F_OFD_SETLK || command == F_OFD_SETLKW;
  if (!call || !(waits || of_file)) return real_control(fd, command, argument);
  const auto really = [=]() -> long { return real_control(fd, command, argument); };
  const auto lock = [&] {
    if (!waits) return really();
    if (mode == Mode::parallel) return call_cancellable(call.thread, really, [] {});
    const int without_waiting = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
    return attempt_until_done(
        call, [=] { return os::call(SYS_fcntl, fd, without_waiting, os::word(argument)); });
  };
  if (!of_file) return static_cast<int>(lock());
  return lock_file(call, fd, static_cast<struct flock*>(argument)->l_type == F_UNLCK, lock);
}

}  // namespace

FORETELL_INTERCEPT int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  Call call(__builtin_return_address(0));
  return control_file(call, fd, command, argument, real.fcntl);
}

FORETELL_INTERCEPT int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  Call call(__builtin_return_address(0));
  return control_file(call, fd, command, argument, real.fcntl64);
}

FORETELL_INTERCEPT int lockf(int fd, int command, off_t size) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || command != F_LOCK) {
    const auto really = [=] { return real.lockf(fd, command, size); };
    return call ? call_cancellable(call.thread, really, [] {}) : really();
  }
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_CUR;
  lock.l_len = size;
  return static_cast<int>(
      attempt_until_done(call, [&] { return os::call(SYS_fcntl, fd, F_SETLK, os::word(&lock)); }));
}

// Opening one end of a FIFO waits for the other, which may be anybody's.
#define FORETELL_OPEN(name)                                                                   \
  FORETELL_INTERCEPT int name(const char* path, int flags, ...) {                             \
    va_list rest;                                                                             \
    va_start(rest, flags);                                                                    \
    const mode_t permissions = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;    \
    va_end(rest);                                                                             \
    Call call(nullptr);                                                                       \
    if (!call || !is_fifo(AT_FDCWD, path, flags)) return real.name(path, flags, permissions); \
    return call_outside(call.thread, [=] { return real.name(path, flags, permissions); });    \
  }
FORETELL_OPEN(open)
FORETELL_OPEN(open64)

// Waiting for processes, signals and file locks.
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/channels.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/schedule/virtual_time.h"

namespace foretell::rt {
namespace {

int fail(int error) {
  errno = error;
  return -1;
}

bool controlled(const Call& call) {
  return call && mode == Mode::controlled;
}

// waitid's way to say what waitpid's first argument says.
struct Children : Question {
  idtype_t type;
  id_t id;
  int options;

  static bool changed(Question* question) {
    auto* it = static_cast<Children*>(question);
    siginfo_t info{};
    const long result =
        os::call(SYS_waitid, it->type, it->id, os::word(&info), it->options | WNOHANG | WNOWAIT, 0);
    return result != 0 || info.si_pid != 0;
  }
};

Children children_of(pid_t pid, int options) {
  const int kinds = WEXITED | (options & WUNTRACED ? WSTOPPED : 0) | (options & WCONTINUED);
  if (pid < -1) return {{Children::changed}, P_PGID, static_cast<id_t>(-pid), kinds};
  if (pid == -1) return {{Children::changed}, P_ALL, 0, kinds};
  if (pid == 0) return {{Children::changed}, P_PGID, 0, kinds};
  return {{Children::changed}, P_PID, static_cast<id_t>(pid), kinds};
}

// Waits until the question is answered; false with errno set if a signal came first.
bool await(Thread* thread, Question& question) {
  obey_cancellation(thread);
  while (!question.ready(&question)) {
    if (park(thread, question) == Woken::interrupted) {
      errno = EINTR;
      return false;
    }
  }
  before_step(thread, false);
  return true;
}

pid_t wait_for_child(pid_t pid, int* status, int options, rusage* usage) {
  Call call(nullptr);
  const auto really = [=] { return real.wait4(pid, status, options, usage); };
  if (!call) return really();
  if (mode == Mode::parallel) return call_cancellable(call.thread, really, [] {});
  Children question = children_of(pid, options);
  if (!(options & WNOHANG) && !await(call.thread, question)) return -1;
  return really();
}

// Nothing but a signal ends this.
Question never{[](Question*) { return false; }};

int wait_for_signal(Thread* thread) {
  obey_cancellation(thread);
  for (;;) {
    thread->restarts = false;
    Woken woken = Woken::interrupted;
    if (!signal_waits(thread)) {
      thread->ready = [](Thread*) { return false; };
      thread->ready_outside = true;
      woken = block_interruptibly(thread, Wait::descriptor, &never);
    } else {
      handle_signals(thread);
    }
    if (woken == Woken::cancelled) obey_cancellation(thread);
    if (woken == Woken::interrupted) return fail(EINTR);
  }
}

// Signals sent to the whole process are pending for everybody. One sent to this thread alone is
// pending here and nowhere else, so who sends it wakes us (signals.cc).
bool signal_pends(Thread* thread) {
  uint64_t pending = 0;
  os::call(SYS_rt_sigpending, os::word(&pending), sizeof pending);
  return (pending & thread->signals.awaited) != 0;
}

int take_signal(const Call& call, const sigset_t* set, siginfo_t* info, uint64_t deadline) {
  Thread* thread = call.thread;
  obey_cancellation(thread);
  Woken woken = Woken::notified;
  for (;;) {
    before_step(thread, false);
    const timespec none{};
    const int taken = real.sigtimedwait(set, info, &none);
    if (taken > 0) note_signal_taken(thread);
    if (taken > 0 || errno != EAGAIN) return taken;
    if (woken == Woken::timed_out) return fail(EAGAIN);
    if (woken == Woken::interrupted && !thread->restarts) return fail(EINTR);
    __builtin_memcpy(&thread->signals.awaited, set, sizeof thread->signals.awaited);
    thread->ready = signal_pends;
    thread->ready_outside = true;
    woken = block_interruptibly(thread, Wait::descriptor, thread, deadline);
    thread->signals.awaited = 0;
    if (woken == Woken::cancelled) obey_cancellation(thread);
  }
}

// File locks and things of System V: each question is an attempt, because asking without taking is
// not possible.
template <class Try>
long attempt_until_done(const Call& call, Try try_it) {
  struct Attempt : Question {
    Try* try_it;
    bool done;  // what was taken once must not be taken again
    long result;
  } attempt{{[](Question* q) {
              auto* it = static_cast<Attempt*>(q);
              if (it->done) return true;
              const long result = it->result = (*it->try_it)();
              return it->done = result != -EAGAIN && result != -EACCES && result != -ENOMSG;
            }},
            &try_it,
            false,
            0};
  if (!await(call.thread, attempt) && !attempt.done) return -1;
  return attempt.result < 0 ? fail(static_cast<int>(-attempt.result)) : attempt.result;
}

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

FORETELL_INTERCEPT pid_t wait(int* status) {
  initialize();
  return wait_for_child(-1, status, 0, nullptr);
}

FORETELL_INTERCEPT pid_t waitpid(pid_t pid, int* status, int options) {
  initialize();
  return wait_for_child(pid, status, options, nullptr);
}

FORETELL_INTERCEPT pid_t wait3(int* status, int options, rusage* usage) {
  initialize();
  return wait_for_child(-1, status, options, usage);
}

FORETELL_INTERCEPT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) {
  initialize();
  return wait_for_child(pid, status, options, usage);
}

FORETELL_INTERCEPT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.waitid(type, id, info, options); };
  if (!call) return really();
  if (mode == Mode::parallel) return call_cancellable(call.thread, really, [] {});
  Children question{{Children::changed}, type, id, options & ~(WNOHANG | WNOWAIT)};
  if (!(options & WNOHANG) && !await(call.thread, question)) return -1;
  return really();
}

FORETELL_INTERCEPT int pause() {
  Call call(__builtin_return_address(0));
  if (controlled(call)) return wait_for_signal(call.thread);
  return call ? call_cancellable(call.thread, [] { return real.pause(); }, [] {}) : real.pause();
}

FORETELL_INTERCEPT int sigsuspend(const sigset_t* mask) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) {
    const auto really = [=] { return real.sigsuspend(mask); };
    return call ? call_cancellable(call.thread, really, [] {}) : really();
  }
  Thread::Signals& s = call.thread->signals;
  const uint64_t before = s.blocked;
  uint64_t wanted;
  __builtin_memcpy(&wanted, mask, sizeof wanted);
  s.blocked = wanted;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&wanted), 0, sizeof wanted);
  if (s.sent & ~wanted) s.waiting = true;
  const int result = wait_for_signal(call.thread);
  s.blocked = before;
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, os::word(&before), 0, sizeof before);
  return result;
}

namespace {

// Outside controlled mode. `succeeded` tells from the result whether there was a signal.
template <class Real, class Succeeded>
int take_signal_in_parallel(const Call& call, Real really, Succeeded succeeded) {
  if (!call) return really();
  const int result = call_cancellable(call.thread, really, [] {});
  if (succeeded(result)) note_signal_taken(call.thread);
  return result;
}

bool is_signal(int result) {
  return result > 0;
}

}  // namespace

FORETELL_INTERCEPT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  Call call(__builtin_return_address(0));
  if (controlled(call)) return take_signal(call, set, info, kForever);
  return take_signal_in_parallel(call, [=] { return real.sigwaitinfo(set, info); }, is_signal);
}

FORETELL_INTERCEPT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  Call call(__builtin_return_address(0));
  if (controlled(call)) {
    return take_signal(call, set, info, timeout ? deadline_in(to_ns(*timeout)) : kForever);
  }
  return take_signal_in_parallel(
      call, [=] { return real.sigtimedwait(set, info, timeout); }, is_signal);
}

FORETELL_INTERCEPT int sigwait(const sigset_t* set, int* number) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) {
    return take_signal_in_parallel(
        call, [=] { return real.sigwait(set, number); }, [](int error) { return error == 0; });
  }
  for (;;) {
    const int taken = take_signal(call, set, nullptr, kForever);
    if (taken > 0) {
      *number = taken;
      return 0;
    }
    if (errno != EINTR) return errno;
  }
}

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

// Descriptors, to Linux.
FORETELL_INTERCEPT int mq_send(int queue, const char* from, size_t size, unsigned priority) {
  Call call(__builtin_return_address(0));
  if (!call) return real.mq_send(queue, from, size, priority);
  return on_descriptor(call, queue, POLLOUT, [=, &call] {
    note_given(call, queue);
    return real.mq_send(queue, from, size, priority);
  });
}

FORETELL_INTERCEPT ssize_t mq_receive(int queue, char* to, size_t size, unsigned* priority) {
  Call call(__builtin_return_address(0));
  if (!call) return real.mq_receive(queue, to, size, priority);
  const ssize_t got = on_descriptor(call, queue, POLLIN,
                                    [=] { return real.mq_receive(queue, to, size, priority); });
  if (got >= 0) note_taken(call, queue);
  return got;
}

FORETELL_INTERCEPT int mq_timedsend(int queue, const char* from, size_t size, unsigned priority,
                                    const timespec* until) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.mq_timedsend(queue, from, size, priority, until); };
  if (!call) return really();
  note_given(call, queue);
  return call_outside(call.thread, really);
}

FORETELL_INTERCEPT ssize_t mq_timedreceive(int queue, char* to, size_t size, unsigned* priority,
                                           const timespec* until) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.mq_timedreceive(queue, to, size, priority, until); };
  if (!call) return really();
  const ssize_t got = call_outside(call.thread, really);
  if (got >= 0) note_taken(call, queue);
  return got;
}

FORETELL_INTERCEPT int semtimedop(int id, sembuf* operations, size_t count,
                                  const timespec* timeout) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.semtimedop(id, operations, count, timeout); };
  if (!call) return really();
  bool waits = true;
  for (size_t i = 0; i < count; i++) waits &= !(operations[i].sem_flg & IPC_NOWAIT);
  note_given_to(call, id);
  long result;
  if (mode == Mode::controlled && waits && !timeout) {
    result = attempt_until_done(call, [=] {
      for (size_t i = 0; i < count; i++) operations[i].sem_flg |= IPC_NOWAIT;
      const long done = os::call(SYS_semop, id, os::word(operations), static_cast<long>(count));
      for (size_t i = 0; i < count; i++) operations[i].sem_flg &= static_cast<short>(~IPC_NOWAIT);
      return done;
    });
  } else {
    result = call_outside(call.thread, really);
  }
  if (result == 0) note_taken_from(call, id);
  return static_cast<int>(result);
}

FORETELL_INTERCEPT int semop(int id, sembuf* operations, size_t count) {
  return semtimedop(id, operations, count, nullptr);
}

FORETELL_INTERCEPT int msgsnd(int id, const void* message, size_t size, int flags) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.msgsnd(id, message, size, flags); };
  if (!call) return really();
  note_given_to(call, id);
  if (mode == Mode::parallel) return call_cancellable(call.thread, really, [] {});
  if (flags & IPC_NOWAIT) return really();
  return static_cast<int>(attempt_until_done(call, [=] {
    return os::call(SYS_msgsnd, id, os::word(message), static_cast<long>(size), flags | IPC_NOWAIT);
  }));
}

FORETELL_INTERCEPT ssize_t msgrcv(int id, void* to, size_t size, long type, int flags) {
  Call call(__builtin_return_address(0));
  const auto really = [=] { return real.msgrcv(id, to, size, type, flags); };
  if (!call) return really();
  ssize_t got;
  if (mode == Mode::parallel) {
    got = call_cancellable(call.thread, really, [] {});
  } else if (flags & IPC_NOWAIT) {
    got = really();
  } else {
    got = attempt_until_done(call, [=] {
      return os::call(SYS_msgrcv, id, os::word(to), static_cast<long>(size), type,
                      flags | IPC_NOWAIT);
    });
  }
  if (got >= 0) note_taken_from(call, id);
  return got;
}

// SPDX-License-Identifier: Apache-2.0

// Message queues of POSIX, and semaphores and message queues of System V.
#include "runtime/intercept/channels.h"
#include "runtime/intercept/waiting.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/virtual_time.h"

using namespace foretell::rt;

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

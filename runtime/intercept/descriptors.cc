// SPDX-License-Identifier: Apache-2.0

// Reading, writing and connecting.
#include "runtime/intercept/descriptors.h"

#include <limits.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/channels.h"
#include "runtime/intercept/descriptor_lives.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/os.h"
#include "runtime/platform/program_objects.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/threads/records.h"

namespace foretell::rt {
namespace {

struct DescriptorQuestion : Question {
  int fd;
  short events;
};

bool answer(Thread* thread) {
  auto* question = static_cast<Question*>(const_cast<void*>(thread->wait_object));
  return question->ready(question);
}

// SO_RCVTIMEO or SO_SNDTIMEO, which make a socket give up with EAGAIN.
uint64_t deadline_of_socket(int fd, short events) {
  timeval limit{};
  socklen_t size = sizeof limit;
  const int option = events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO;
  const long result =
      os::call(SYS_getsockopt, fd, SOL_SOCKET, option, os::word(&limit), os::word(&size));
  if (result < 0 || (limit.tv_sec == 0 && limit.tv_usec == 0)) return kForever;
  return deadline_in(static_cast<uint64_t>(limit.tv_sec) * 1'000'000'000 +
                     static_cast<uint64_t>(limit.tv_usec) * 1000);
}

}  // namespace

Woken park(Thread* thread, Question& question, uint64_t deadline) {
  for (;;) {
    thread->ready = answer;
    thread->ready_outside = true;
    const Woken woken = block_interruptibly(thread, Wait::descriptor, &question, deadline);
    if (woken == Woken::cancelled) {
      obey_cancellation(thread);
    } else if (woken != Woken::interrupted || !thread->restarts) {
      return woken;
    }
  }
}

bool is_ready(int fd, short events) {
  pollfd one{fd, events, 0};
  return os::call(SYS_poll, os::word(&one), 1, 0) != 0;
}

bool is_nonblocking(int fd) {
  const long flags = os::call(SYS_fcntl, fd, F_GETFL);
  return flags < 0 || flags & O_NONBLOCK;
}

int await_descriptor(Thread* thread, int fd, short events) {
  obey_cancellation(thread);
  if (is_ready(fd, events) || is_nonblocking(fd)) return 0;
  DescriptorQuestion question{{[](Question* q) {
                                auto* it = static_cast<DescriptorQuestion*>(q);
                                return is_ready(it->fd, it->events);
                              }},
                              fd,
                              events};
  switch (park(thread, question, deadline_of_socket(fd, events))) {
    case Woken::notified:
    case Woken::cancelled:
      return 0;
    case Woken::timed_out:
      return EAGAIN;
    case Woken::interrupted:
      return EINTR;
  }
  return 0;
}

bool records_ranges(const Call& call) {
  return (call.site != 0 || thread_sanitizer_objects) && !call.thread->ignoring;
}

void note_range(const Call& call, Op op, const void* at, ssize_t size) {
  if (size <= 0 || !records_ranges(call)) return;
  if (!is_wanted(call.thread, op, at, static_cast<uint64_t>(size))) return;
  before_step(call.thread, false);
  put(call.thread, op, call.site, at, static_cast<uint64_t>(size));
}

namespace {

bool is_of_kind(int fd, mode_t kind) {
  struct stat about;
  return os::call(SYS_fstat, fd, os::word(&about)) == 0 && (about.st_mode & S_IFMT) == kind;
}

// A pipe that is ready takes PIPE_BUF bytes without blocking; a socket what it takes. More goes in
// parts, and in between others may run and read.
template <class WritePart>
ssize_t write_in_parts(const Call& call, int fd, const char* at, size_t size,
                       WritePart write_part) {
  size_t done = 0;
  while (done < size) {
    if (const int error = await_descriptor(call.thread, fd, POLLOUT)) {
      if (done > 0) break;
      errno = error;
      return -1;
    }
    before_step(call.thread, false);
    note_written(call, fd);
    const ssize_t written = write_part(at + done, size - done);
    if (written < 0 && errno == EAGAIN && !is_nonblocking(fd)) continue;
    if (written <= 0) return done > 0 ? static_cast<ssize_t>(done) : written;
    done += static_cast<size_t>(written);
    if (is_nonblocking(fd)) break;
  }
  return static_cast<ssize_t>(done);
}

ssize_t write_bytes(const Call& call, int fd, const void* from, size_t size) {
  const auto* at = static_cast<const char*>(from);
  if (size > PIPE_BUF && is_of_kind(fd, S_IFIFO)) {
    return write_in_parts(call, fd, at, size, [=](const char* part, size_t left) {
      return real.write(fd, part, left < PIPE_BUF ? left : PIPE_BUF);
    });
  }
  if (is_of_kind(fd, S_IFSOCK)) {
    return write_in_parts(call, fd, at, size, [=](const char* part, size_t left) {
      return real.send(fd, part, left, MSG_DONTWAIT);
    });
  }
  return on_descriptor(call, fd, POLLOUT, [=, &call] {
    note_written(call, fd);
    return real.write(fd, from, size);
  });
}

template <class Real>
auto on_socket(const Call& call, int fd, short events, int flags, Real real_call) {
  if (!(flags & MSG_DONTWAIT)) return on_descriptor(call, fd, events, real_call);
  before_step(call.thread, false);
  return real_call();
}

// Connects without blocking, and waits for the outcome.
int connect_controlled(const Call& call, int fd, const sockaddr* address, socklen_t size) {
  const long flags = os::call(SYS_fcntl, fd, F_GETFL);
  if (flags < 0 || flags & O_NONBLOCK) return real.connect(fd, address, size);
  os::call(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
  const int result = real.connect(fd, address, size);
  const int error = errno;
  os::call(SYS_fcntl, fd, F_SETFL, flags);
  errno = error;
  if (result == 0 || (error != EINPROGRESS && error != EAGAIN)) return result;
  // A local socket whose backlog is full says nothing when there is room again.
  if (error == EAGAIN) {
    return call_outside(call.thread, [=] { return real.connect(fd, address, size); });
  }
  int outcome = await_descriptor(call.thread, fd, POLLOUT);
  if (outcome == 0) {
    socklen_t length = sizeof outcome;
    os::call(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, os::word(&outcome), os::word(&length));
  }
  if (outcome == 0) return 0;
  errno = outcome;
  return -1;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT ssize_t read(int fd, void* to, size_t size) {
  Call call(__builtin_return_address(0));
  if (!call) return real.read(fd, to, size);
  use_descriptor(call, fd);
  const ssize_t got = on_descriptor(call, fd, POLLIN, [=] { return real.read(fd, to, size); });
  if (got >= 0) note_read(call, fd);
  note_range(call, Op::WriteRange, to, got);
  return got;
}

// libc has these read and write where nobody can stand in front of it.
FORETELL_INTERCEPT int eventfd_read(int fd, eventfd_t* value) {
  Call call(__builtin_return_address(0));
  if (!call) return real.eventfd_read(fd, value);
  use_descriptor(call, fd);
  const int result = on_descriptor(call, fd, POLLIN, [=] { return real.eventfd_read(fd, value); });
  if (result == 0) note_read(call, fd);
  return result;
}

FORETELL_INTERCEPT int eventfd_write(int fd, eventfd_t value) {
  Call call(__builtin_return_address(0));
  if (!call) return real.eventfd_write(fd, value);
  use_descriptor(call, fd);
  return on_descriptor(call, fd, POLLOUT, [=, &call] {
    note_written(call, fd);
    return real.eventfd_write(fd, value);
  });
}

FORETELL_INTERCEPT ssize_t readv(int fd, const iovec* parts, int count) {
  Call call(__builtin_return_address(0));
  if (!call) return real.readv(fd, parts, count);
  use_descriptor(call, fd);
  const ssize_t got = on_descriptor(call, fd, POLLIN, [=] { return real.readv(fd, parts, count); });
  if (got >= 0) note_read(call, fd);
  return got;
}

FORETELL_INTERCEPT ssize_t write(int fd, const void* from, size_t size) {
  Call call(__builtin_return_address(0));
  if (!call) return real.write(fd, from, size);
  use_descriptor(call, fd);
  if (mode == Mode::parallel) {
    note_range(call, Op::ReadRange, from, static_cast<ssize_t>(size));
    before_step(call.thread, false);
    note_written(call, fd);
    return call_cancellable(call.thread, [=] { return real.write(fd, from, size); }, [] {});
  }
  note_range(call, Op::ReadRange, from, static_cast<ssize_t>(size));
  return write_bytes(call, fd, from, size);
}

FORETELL_INTERCEPT ssize_t writev(int fd, const iovec* parts, int count) {
  Call call(__builtin_return_address(0));
  if (!call) return real.writev(fd, parts, count);
  use_descriptor(call, fd);
  return on_descriptor(call, fd, POLLOUT, [=, &call] {
    note_written(call, fd);
    return real.writev(fd, parts, count);
  });
}

FORETELL_INTERCEPT ssize_t recv(int fd, void* to, size_t size, int flags) {
  Call call(__builtin_return_address(0));
  if (!call) return real.recv(fd, to, size, flags);
  use_descriptor(call, fd);
  const ssize_t got =
      on_socket(call, fd, POLLIN, flags, [=] { return real.recv(fd, to, size, flags); });
  if (got >= 0) note_read(call, fd);
  note_range(call, Op::WriteRange, to, got);
  return got;
}

FORETELL_INTERCEPT ssize_t recvfrom(int fd, void* to, size_t size, int flags, sockaddr* address,
                                    socklen_t* length) {
  Call call(__builtin_return_address(0));
  if (!call) return real.recvfrom(fd, to, size, flags, address, length);
  use_descriptor(call, fd);
  const ssize_t got = on_socket(
      call, fd, POLLIN, flags, [=] { return real.recvfrom(fd, to, size, flags, address, length); });
  if (got >= 0) note_read(call, fd);
  note_range(call, Op::WriteRange, to, got);
  return got;
}

FORETELL_INTERCEPT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  Call call(__builtin_return_address(0));
  if (!call) return real.recvmsg(fd, message, flags);
  use_descriptor(call, fd);
  const ssize_t got =
      on_socket(call, fd, POLLIN, flags, [=] { return real.recvmsg(fd, message, flags); });
  if (got >= 0) note_read(call, fd);
  return got;
}

FORETELL_INTERCEPT ssize_t send(int fd, const void* from, size_t size, int flags) {
  Call call(__builtin_return_address(0));
  if (!call) return real.send(fd, from, size, flags);
  use_descriptor(call, fd);
  if (mode == Mode::parallel || flags & MSG_DONTWAIT) {
    return on_socket(call, fd, POLLOUT, flags, [=, &call] {
      note_written(call, fd);
      return real.send(fd, from, size, flags);
    });
  }
  return write_in_parts(call, fd, static_cast<const char*>(from), size,
                        [=](const char* part, size_t left) {
                          return real.send(fd, part, left, flags | MSG_DONTWAIT);
                        });
}

FORETELL_INTERCEPT ssize_t sendto(int fd, const void* from, size_t size, int flags,
                                  const sockaddr* address, socklen_t length) {
  Call call(__builtin_return_address(0));
  if (!call) return real.sendto(fd, from, size, flags, address, length);
  use_descriptor(call, fd);
  return on_socket(call, fd, POLLOUT, flags, [=, &call] {
    note_written(call, fd);
    return real.sendto(fd, from, size, flags, address, length);
  });
}

FORETELL_INTERCEPT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  Call call(__builtin_return_address(0));
  if (!call) return real.sendmsg(fd, message, flags);
  use_descriptor(call, fd);
  return on_socket(call, fd, POLLOUT, flags, [=, &call] {
    note_written(call, fd);
    return real.sendmsg(fd, message, flags);
  });
}

FORETELL_INTERCEPT int accept(int fd, sockaddr* address, socklen_t* length) {
  Call call(__builtin_return_address(0));
  if (!call) return real.accept(fd, address, length);
  use_descriptor(call, fd);
  const int accepted =
      on_descriptor(call, fd, POLLIN, [=] { return real.accept(fd, address, length); });
  if (accepted >= 0) note_accepted(call);
  return accepted;
}

FORETELL_INTERCEPT int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  Call call(__builtin_return_address(0));
  if (!call) return real.accept4(fd, address, length, flags);
  use_descriptor(call, fd);
  const int accepted =
      on_descriptor(call, fd, POLLIN, [=] { return real.accept4(fd, address, length, flags); });
  if (accepted >= 0) note_accepted(call);
  return accepted;
}

FORETELL_INTERCEPT int connect(int fd, const sockaddr* address, socklen_t length) {
  Call call(__builtin_return_address(0));
  if (!call) return real.connect(fd, address, length);
  note_connecting(call);
  if (mode == Mode::parallel) {
    return call_cancellable(call.thread, [=] { return real.connect(fd, address, length); }, [] {});
  }
  return connect_controlled(call, fd, address, length);
}

namespace {

void end(const Call& call, int fd) {
  note_end(call, fd);
  close_descriptor(call, fd);
}

}  // namespace

FORETELL_INTERCEPT int close(int fd) {
  Call call(__builtin_return_address(0));
  if (call) end(call, fd);
  return real.close(fd);
}

// Both close what `fd` stood for.
FORETELL_INTERCEPT int dup2(int old, int fd) {
  Call call(__builtin_return_address(0));
  if (call && old != fd) end(call, fd);
  return real.dup2(old, fd);
}

FORETELL_INTERCEPT int dup3(int old, int fd, int flags) {
  Call call(__builtin_return_address(0));
  if (call && old != fd) end(call, fd);
  return real.dup3(old, fd, flags);
}

FORETELL_INTERCEPT int socketpair(int domain, int type, int protocol, int ends[2]) {
  Call call(__builtin_return_address(0));
  const int result = real.socketpair(domain, type, protocol, ends);
  if (call && result == 0) note_pair(ends);
  return result;
}

FORETELL_INTERCEPT int shutdown(int fd, int how) {
  Call call(__builtin_return_address(0));
  if (call) note_end(call, fd);
  return real.shutdown(fd, how);
}

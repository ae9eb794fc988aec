// SPDX-License-Identifier: Apache-2.0

// poll, select and epoll: the same question with no time to wait is what the thread is parked with.
#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/channels.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/start.h"
#include "runtime/platform/address_table.h"
#include "runtime/platform/os.h"
#include "runtime/platform/real.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/steps.h"
#include "runtime/schedule/virtual_time.h"

namespace foretell::rt {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

// Replaces the thread's signal mask while it waits, as ppoll and pselect do.
class WaitingMask {
 public:
  WaitingMask(Thread* thread, const sigset_t* mask) : thread_(thread), replaced_(mask != nullptr) {
    if (!replaced_) return;
    real.pthread_sigmask(SIG_SETMASK, mask, &before_);
    learn_mask();
  }
  ~WaitingMask() {
    if (!replaced_) return;
    real.pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    learn_mask();
  }
  WaitingMask(const WaitingMask&) = delete;
  WaitingMask& operator=(const WaitingMask&) = delete;

 private:
  void learn_mask() {
    uint64_t& blocked = thread_->signals.blocked;
    os::call(SYS_rt_sigprocmask, SIG_BLOCK, 0, os::word(&blocked), sizeof blocked);
    if (thread_->signals.sent & ~blocked) thread_->signals.waiting = true;
  }

  Thread* thread_;
  bool replaced_;
  sigset_t before_;
};

// `ask` must not change anything but its answer; `take` is the call itself without waiting.
// Interrupted waits are never restarted by the kernel.
template <class Ask, class Take>
int wait_for_some(const Call& call, uint64_t deadline, const sigset_t* mask, Ask ask, Take take) {
  obey_cancellation(call.thread);
  before_step(call.thread, false);
  WaitingMask waiting_mask(call.thread, mask);
  const int at_once = take();
  if (at_once != 0) return at_once;
  struct AskAgain : Question {
    Ask* ask;
  } question{{[](Question* q) { return (*static_cast<AskAgain*>(q)->ask)(); }}, &ask};
  for (;;) {
    call.thread->restarts = false;
    const Woken woken = park(call.thread, question, deadline);
    if (woken == Woken::interrupted) {
      errno = EINTR;
      return -1;
    }
    before_step(call.thread, false);
    const int result = take();
    if (result != 0 || woken == Woken::timed_out) return result;
  }
}

uint64_t deadline_after(int milliseconds) {
  return milliseconds < 0 ? kForever
                          : deadline_in(static_cast<uint64_t>(milliseconds) * kMillisecond);
}

int poll_until(const Call& call, pollfd* all, nfds_t count, uint64_t deadline,
               const sigset_t* mask) {
  return wait_for_some(
      call, deadline, mask,
      [=] {
        // The kernel writes the answers into the program's array, which the real call repeats.
        return os::call(SYS_poll, os::word(all), static_cast<long>(count), 0) != 0;
      },
      [=] { return real.poll(all, count, 0); });
}

struct Sets {
  fd_set read, write, except;
};

int select_until(const Call& call, int count, fd_set* read, fd_set* write, fd_set* except,
                 uint64_t deadline, const sigset_t* mask) {
  const Sets wanted{read ? *read : fd_set{}, write ? *write : fd_set{},
                    except ? *except : fd_set{}};
  const auto ask = [=] {
    // Asked in the middle of a step of another thread: memcpy would be taken for its own.
    Sets sets;
    os::copy(&sets, &wanted, sizeof sets);
    timeval none{};
    return os::call(SYS_select, count, read ? os::word(&sets.read) : 0,
                    write ? os::word(&sets.write) : 0, except ? os::word(&sets.except) : 0,
                    os::word(&none)) != 0;
  };
  const auto take = [=] {
    if (read) *read = wanted.read;
    if (write) *write = wanted.write;
    if (except) *except = wanted.except;
    timeval none{};
    return real.select(count, read, write, except, &none);
  };
  return wait_for_some(call, deadline, mask, ask, take);
}

int epoll_until(const Call& call, int epoll, epoll_event* events, int room, uint64_t deadline,
                const sigset_t* mask) {
  return wait_for_some(
      call, deadline, mask, [=] { return is_ready(epoll, POLLIN); },
      [=] { return real.epoll_wait(epoll, events, room, 0); });
}

// A descriptor that can be read, or whose other end is closed, says so to who asked; many do not
// read it then.
int noted(const Call& call, const pollfd* all, nfds_t count, int ready) {
  if (!call || ready <= 0) return ready;
  for (nfds_t i = 0; i < count; i++) {
    if (all[i].revents & ~(POLLOUT | POLLWRNORM | POLLWRBAND | POLLNVAL)) {
      note_read(call, all[i].fd);
    }
  }
  return ready;
}

int noted(const Call& call, int count, const fd_set* read, int ready) {
  if (!call || ready <= 0 || !read) return ready;
  for (int fd = 0; fd < count; fd++) {
    if (FD_ISSET(fd, read)) note_read(call, fd);
  }
  return ready;
}

// Which descriptor an event of epoll is about, by what the program wants to be told of it.
os::Lock watched_lock_;
AddressTable<int> watched_;

const void* key_of(int epoll, const epoll_event& event) {
  const uint64_t key = event.data.u64 * 0x9e3779b97f4a7c15 + static_cast<uint32_t>(epoll) + 1;
  return reinterpret_cast<void*>(key | 1);
}

int noted(const Call& call, int epoll, const epoll_event* events, int ready) {
  if (!call) return ready;
  for (int i = 0; i < ready; i++) {
    if (!(events[i].events & ~(EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND))) continue;
    int fd = -1;
    {
      os::Guard guard(watched_lock_);
      if (const int* known = watched_.find(key_of(epoll, events[i]))) fd = *known;
    }
    if (fd >= 0) note_read(call, fd);
  }
  return ready;
}

bool valid(const timespec* time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1'000'000'000;
}

template <class Real>
int outside_or_real(const Call& call, Real real_call) {
  return call ? call_cancellable(call.thread, real_call, [] {}) : real_call();
}

bool controlled(const Call& call) {
  return call && mode == Mode::controlled;
}

}  // namespace
}  // namespace foretell::rt

using namespace foretell::rt;

FORETELL_INTERCEPT int poll(pollfd* all, nfds_t count, int timeout) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || timeout == 0) {
    return noted(call, all, count,
                 outside_or_real(call, [=] { return real.poll(all, count, timeout); }));
  }
  return noted(call, all, count, poll_until(call, all, count, deadline_after(timeout), nullptr));
}

FORETELL_INTERCEPT int ppoll(pollfd* all, nfds_t count, const timespec* timeout,
                             const sigset_t* mask) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || (timeout && !valid(timeout))) {
    return noted(call, all, count,
                 outside_or_real(call, [=] { return real.ppoll(all, count, timeout, mask); }));
  }
  return noted(
      call, all, count,
      poll_until(call, all, count, timeout ? deadline_in(to_ns(*timeout)) : kForever, mask));
}

FORETELL_INTERCEPT int select(int count, fd_set* read, fd_set* write, fd_set* except,
                              timeval* timeout) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || count < 0 || count > FD_SETSIZE ||
      (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0))) {
    return noted(call, count, read, outside_or_real(call, [=] {
                   return real.select(count, read, write, except, timeout);
                 }));
  }
  const uint64_t deadline =
      timeout ? deadline_in(static_cast<uint64_t>(timeout->tv_sec) * 1'000'000'000 +
                            static_cast<uint64_t>(timeout->tv_usec) * 1000)
              : kForever;
  const int result = select_until(call, count, read, write, except, deadline, nullptr);
  // Linux says what is left of the time.
  if (timeout && result >= 0) {
    const uint64_t now = virtual_now();
    const uint64_t left = deadline > now ? deadline - now : 0;
    *timeout = {static_cast<time_t>(left / 1'000'000'000),
                static_cast<suseconds_t>(left % 1'000'000'000 / 1000)};
  }
  return noted(call, count, read, result);
}

FORETELL_INTERCEPT int pselect(int count, fd_set* read, fd_set* write, fd_set* except,
                               const timespec* timeout, const sigset_t* mask) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || count < 0 || count > FD_SETSIZE || (timeout && !valid(timeout))) {
    return noted(call, count, read, outside_or_real(call, [=] {
                   return real.pselect(count, read, write, except, timeout, mask);
                 }));
  }
  return noted(call, count, read,
               select_until(call, count, read, write, except,
                            timeout ? deadline_in(to_ns(*timeout)) : kForever, mask));
}

FORETELL_INTERCEPT int epoll_wait(int epoll, epoll_event* events, int room, int timeout) {
  Call call(__builtin_return_address(0));
  if (!controlled(call) || timeout == 0) {
    return noted(call, epoll, events, outside_or_real(call, [=] {
                   return real.epoll_wait(epoll, events, room, timeout);
                 }));
  }
  return noted(call, epoll, events,
               epoll_until(call, epoll, events, room, deadline_after(timeout), nullptr));
}

FORETELL_INTERCEPT int epoll_pwait(int epoll, epoll_event* events, int room, int timeout,
                                   const sigset_t* mask) {
  Call call(__builtin_return_address(0));
  if (!controlled(call)) {
    return noted(call, epoll, events, outside_or_real(call, [=] {
                   return real.epoll_pwait(epoll, events, room, timeout, mask);
                 }));
  }
  return noted(call, epoll, events,
               epoll_until(call, epoll, events, room, deadline_after(timeout), mask));
}

FORETELL_INTERCEPT int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) {
  initialize();
  if (active && event && operation != EPOLL_CTL_DEL) {
    os::Guard guard(watched_lock_);
    if (int* slot = watched_.find_or_add(key_of(epoll, *event))) *slot = fd;
  }
  return real.epoll_ctl(epoll, operation, fd, event);
}

// Waiting for descriptors, and for other things outside, in controlled mode.
//
// A thread that would block in a system call is parked in the scheduler with a question that is
// asked before each decision: is it ready now? For pipes and sockets inside the process the answer
// is a function of the schedule, so the run stays repeatable; others depend on the environment.
#pragma once

#include <errno.h>

#include "cancel.h"
#include "channels.h"

namespace foretell::rt {

// What a thread is parked for. `ready` is called by other threads, with the scheduler's lock held:
// raw system calls only.
struct Question {
  bool (*ready)(Question*);
};

// Parks the thread until the question is answered with yes. Timed out, interrupted by a signal
// whose handler does not restart calls, or ready; a cancellation does not return.
Woken park(Thread* thread, Question& question, uint64_t deadline = kForever);

// Waits until the descriptor is ready for `events` of poll, unless it is set not to block. Returns
// 0, or the error that the call must fail with.
int await_descriptor(Thread* thread, int fd, short events);

bool is_ready(int fd, short events);
bool is_nonblocking(int fd);

// Whether calls of this thread record the memory they read and write.
bool records_ranges(const Call& call);
void note_range(const Call& call, Op op, const void* at, ssize_t size);

// A call on a descriptor: waits until it can be done at once, then does it.
template <class Real>
auto on_descriptor(const Call& call, int fd, short events, Real real_call)
    -> decltype(real_call()) {
  if (mode == Mode::parallel) {
    before_step(call.thread, false);
    return call_cancellable(call.thread, real_call, [] {});
  }
  if (const int error = await_descriptor(call.thread, fd, events)) {
    errno = error;
    return -1;
  }
  before_step(call.thread, false);
  return real_call();
}

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// Waiting in controlled mode for what the kernel gives, by asking or trying again and again.
#pragma once

#include <errno.h>

#include "runtime/intercept/call.h"
#include "runtime/intercept/cancel.h"
#include "runtime/intercept/descriptors.h"

namespace foretell::rt {

inline int fail(int error) {
  errno = error;
  return -1;
}

inline bool controlled(const Call& call) {
  return call && mode == Mode::controlled;
}

// Waits until the question is answered; false with errno set if a signal came first.
bool await(Thread* thread, Question& question);

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

}  // namespace foretell::rt

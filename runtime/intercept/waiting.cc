// SPDX-License-Identifier: Apache-2.0

#include "runtime/intercept/waiting.h"

#include "runtime/schedule/steps.h"

namespace foretell::rt {

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

}  // namespace foretell::rt

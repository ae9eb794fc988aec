// SPDX-License-Identifier: Apache-2.0

// Call: the calling thread's entry into an intercepted function.
#pragma once

#include "runtime/schedule/steps.h"
#include "runtime/threads/thread.h"

namespace foretell::rt {

// False if the call must go straight to the real function.
class Call {
 public:
  explicit Call(void* return_address);
  ~Call() {
    if (thread) leave_runtime(thread);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  explicit operator bool() const { return thread != nullptr; }

  Thread* thread;
  uint32_t site = recording::kNoSite;
};

}  // namespace foretell::rt

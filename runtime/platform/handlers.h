// SPDX-License-Identifier: Apache-2.0

// Handlers: functions that run when something happens to the whole process. A file registers its
// own, and whoever makes the thing happen knows none of them.
//
// The linker gathers the handlers of one kind in a section, so they are there before any
// constructor has run. They run in no particular order.
#pragma once

#include "runtime/platform/exit_status.h"

namespace foretell::rt {

using Handler = void (*)();

// The file forgets what it knew of the parent process. In the child of a fork only the calling
// thread is there, and nobody holds a lock of the runtime.
#define FORETELL_IN_FORKED_CHILD(function)                                                     \
  __attribute__((section("foretell_fork"),                                                     \
                 used)) static constexpr ::foretell::rt::Handler function##_in_forked_child_ = \
      function
void run_fork_handlers();

// The runtime is about to end the process, and neither handlers of exit nor destructors will run.
#define FORETELL_BEFORE_SUDDEN_END(function)                                                     \
  __attribute__((section("foretell_sudden_end"),                                                 \
                 used)) static constexpr ::foretell::rt::Handler function##_before_sudden_end_ = \
      function
[[noreturn]] void end_suddenly(ExitStatus status);

}  // namespace foretell::rt

// SPDX-License-Identifier: Apache-2.0

// The statuses with which the runtime ends a process: those of ExitCode in src/base/exit_code.h.
#pragma once

namespace foretell::rt {

enum class ExitStatus : int {
  done = 0,
  usage = 64,      // FORETELL_OPTIONS has a mistake
  bad_input = 65,  // a schedule or a program that the runtime cannot work with
  deadlock = 66,   // as a command that has findings
  internal_error = 70,
};

}  // namespace foretell::rt

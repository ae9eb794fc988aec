// SPDX-License-Identifier: Apache-2.0

// The exit codes of every command (docs/design.md, "Exit codes").
#pragma once

namespace foretell {

enum class ExitCode : int {
  clean = 0,
  usage = 64,
  bad_input = 65,
  findings = 66,
  cut_short = 69,
  internal_error = 70,
  io_error = 74,
  interrupted = 130,  // 128 + SIGINT, as shells report it
};

}  // namespace foretell

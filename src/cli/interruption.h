// SPDX-License-Identifier: Apache-2.0

// Ctrl-C during long work asks it to end with what it has; the second Ctrl-C ends the process.
#pragma once

#include <signal.h>

#include <atomic>

namespace foretell::cli {

// While it lives, SIGINT and SIGTERM only set the flag. One at a time.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static const std::atomic<bool>& flag();

 private:
  struct sigaction interrupt_, terminate_;
};

}  // namespace foretell::cli

// SPDX-License-Identifier: Apache-2.0

// Guardian: sees to it that what we have started ends, and what we have written goes, if we are killed.
//
// Nothing of ours runs after SIGKILL, and the kernel's parent-death signal reaches a child but not its
// children. So a guardian is a process of its own that reads from a pipe whose other end only we
// have. If the pipe ends without a word of dismissal, we are dead: it kills the process or group it was
// told of, every process whose environment has the mark (those that left the group), and then
// removes files.
#pragma once

#include <sys/types.h>

#include <string>

namespace foretell::launch {

struct GuardedThings {
  std::string mark;       // "NAME=value" in the environment of what is to be killed; empty: none
  std::string recording;  // this file and those of other processes, NAME.PID; empty: none
  std::string folder;     // this folder; empty: none
};

class Guardian {
 public:
  // Without a process to spare there is no guardian: nothing is guarded, nothing else changes.
  explicit Guardian(const GuardedThings& things);
  // Dismisses it.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  // What to kill: a process, or a group if negative.
  void watch(pid_t target) const;
  // Kills it now, and what has the mark, while we live. It may take a moment after the return.
  void kill_all() const;

 private:
  void send(pid_t message) const;

  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace foretell::launch

// SPDX-License-Identifier: Apache-2.0

// Runs a program below us and waits for it: the one place that forks.
//
// The program gets a process group of its own, so that a time limit ends it with everything it
// started, and the signals a person or a test driver sends to us (interrupt, hang-up, terminate,
// quit) are passed on to it; if it does not end in two seconds then, it is killed. If its standard input is a terminal it stays in our group instead: a
// background group could not read from it, and the terminal signals both of us anyway.
//
// Address space randomization is switched off for the program where the system lets us (gdb does
// the same), so that what depends on addresses is the same in every run. Nothing relies on it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::launch {

struct LaunchRequest {
  std::vector<std::string> command;  // looked up in PATH as a shell does
  std::string directory;             // where it runs; empty: here
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  std::vector<std::string> unset_variables;                      // of ours, that it does not get
  // Files instead of our own standard streams; empty: passed through.
  std::string input, output, error;
  // A file for a copy of our standard input, which it then gets through a pipe; empty: none.
  std::string kept_input;
  std::optional<std::chrono::milliseconds> time_limit;
  std::optional<std::chrono::steady_clock::time_point> deadline;  // another limit
  // Between the request to end at a limit, SIGTERM, and SIGKILL. 0: killed at once.
  std::chrono::milliseconds patience{0};
  // Ended when it becomes true. A signal may come to another of our threads, whose handler sets it.
  const std::atomic<bool>* stop = nullptr;
  // It and all that it starts end when we do, even if we are killed, and its recording goes.
  bool dies_with_us = false;
  std::string recording;  // a file that it writes; with dies_with_us
  // Told now and then that it still runs, for how long.
  std::function<void(double seconds)> while_running;
};

enum class EndKind { exited, signalled, timed_out };

struct LaunchEnd {
  EndKind kind = EndKind::exited;
  int status = 0;            // exit status, or the signal
  bool interrupted = false;  // we passed a signal on
  double seconds = 0;

  // As a shell says it: 128 + signal.
  int exit_status() const;
  // "exited with 3", "killed by SIGSEGV (Segmentation fault)", "ran longer than 2 s".
  std::string describe() const;
};

Result<LaunchEnd> launch(const LaunchRequest& request);

// "SIGSEGV (Segmentation fault)".
std::string signal_text(int signal);

// The file a shell would run for `name`, as seen from `directory`.
Result<std::string> find_program(const std::string& name, const std::string& directory);

}  // namespace foretell::launch

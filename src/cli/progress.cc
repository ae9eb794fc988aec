// SPDX-License-Identifier: Apache-2.0

#include "cli/progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace foretell::cli {

Progress::Progress() : is_terminal_(::isatty(STDERR_FILENO) == 1) {
  if (!is_terminal_) return;
  // Signals are for the thread that works.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  drawer_ = std::thread([this] { draw_until_the_end(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  if (!is_terminal_) return;
  {
    const std::lock_guard guard(mutex_);
    is_over_ = true;
    erase();
  }
  ends_.notify_all();
  drawer_.join();
}

void Progress::clear() {
  if (!is_terminal_) return;
  const std::lock_guard guard(mutex_);
  erase();
  is_active_ = false;
}

void Progress::update(std::string_view phase, double fraction) {
  if (!is_terminal_) return;
  const std::lock_guard guard(mutex_);
  is_active_ = true;
  bar_.update(phase, fraction);
}

void Progress::draw_until_the_end() {
  constexpr auto kPatience = std::chrono::seconds(1);
  constexpr auto kPeriod = std::chrono::milliseconds(100);
  std::unique_lock guard(mutex_);
  ends_.wait_for(guard, kPatience, [&] { return is_over_; });
  while (!is_over_) {
    if (is_active_) {
      // What a program prints while it is recorded begins at the left.
      std::fputs(fmt::format("\r{}\033[K\r", bar_.text()).c_str(), stderr);
      std::fflush(stderr);
      is_shown_ = true;
    }
    ends_.wait_for(guard, kPeriod, [&] { return is_over_; });
  }
}

void Progress::erase() {
  if (!is_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  is_shown_ = false;
}

}  // namespace foretell::cli

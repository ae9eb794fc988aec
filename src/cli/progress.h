// Progress on a terminal for work over a second; nothing in a pipe.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string_view>
#include <utility>

namespace foretell::cli {

class Progress {
 public:
  ~Progress() { clear(); }

  // Before anything else is written.
  void clear() {
    if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
  }

  void update(std::string_view phase, double fraction) {
    const auto now = Clock::now();
    if (!terminal_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    shown_ = true;
    std::fprintf(stderr, "\r%.*s %3.0f %%\033[K", static_cast<int>(phase.size()), phase.data(),
                 100 * fraction);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace foretell::cli

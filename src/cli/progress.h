// SPDX-License-Identifier: Apache-2.0

// Progress on a terminal for work over a second; nothing in a pipe. One bar for the whole command
// (pipeline/phase_bar.h).
//
// A thread of its own draws: what takes long may have nothing to say for a while, and whoever waits
// must see that it goes on.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

#include "pipeline/phase_bar.h"

namespace foretell::cli {

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Before anything else is written; what is drawn is gone until the next update.
  void clear();
  // Below 0: how much is done is not known, the time is shown instead.
  void update(std::string_view phase, double fraction);

 private:
  void draw_until_the_end();
  void erase();  // with mutex_ held

  const bool is_terminal_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable ends_;
  bool is_over_ = false;
  bool is_shown_ = false;
  bool is_active_ = false;  // there is something to draw
  pipeline::PhaseBar bar_;
  std::thread drawer_;
};

}  // namespace foretell::cli

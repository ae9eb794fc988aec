// SPDX-License-Identifier: Apache-2.0

// CPU time, which says how much was done, however busy the machine is.
#pragma once

#include <sys/resource.h>

namespace foretell {

// Of all processes that we started and that have ended, in seconds.
inline double cpu_seconds_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// An allowance of it: the share of what children have used until now that they may use from here on,
// at least `least` seconds.
class CpuAllowance {
 public:
  CpuAllowance(double share, double least)
      : most_(begin_ * share > least ? begin_ * share : least) {}
  bool is_used_up() const { return cpu_seconds_of_children() - begin_ >= most_; }

 private:
  double begin_ = cpu_seconds_of_children();
  double most_;
};

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

// What --budget allows a whole command, from its first moment, and how its phases share it.
//
// A phase that is not over when its share is ends with what it has, so that the next ones have time
// for that: a program that runs for ever is ended after half of the budget, its recording is read until 0.7, and
// the analyses end at 0.9 of it. What a phase does not use, the next ones may.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace foretell::cli {

class CommandBudget {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kProgram = 0.5, kReading = 0.7, kAnalysis = 0.9, kReplay = 1.0;

  explicit CommandBudget(std::optional<std::chrono::nanoseconds> total) : total_(total) {}

  // When a phase must end; never without a budget.
  std::optional<Clock::time_point> end_of(double share) const {
    if (!total_) return std::nullopt;
    return start_ + std::chrono::duration_cast<Clock::duration>(*total_ * share);
  }
  // How long that is from now, at least a moment.
  std::optional<std::chrono::nanoseconds> left_until(double share) const {
    const auto end = end_of(share);
    if (!end) return std::nullopt;
    return std::max<std::chrono::nanoseconds>(*end - Clock::now(), std::chrono::milliseconds(1));
  }
  bool is_used_up() const { return total_ && Clock::now() >= *end_of(kReplay); }

 private:
  Clock::time_point start_ = Clock::now();
  std::optional<std::chrono::nanoseconds> total_;
};

}  // namespace foretell::cli

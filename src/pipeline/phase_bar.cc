// SPDX-License-Identifier: Apache-2.0

#include "pipeline/phase_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace foretell::pipeline {
namespace {

using Seconds = std::chrono::duration<double>;

// A phase is told by its word; what follows a colon is a detail that changes while it lasts.
std::string_view word_of_phase(std::string_view phase) {
  return phase.substr(0, phase.find_first_of(":,"));
}

}  // namespace

const PhaseBar::Share* PhaseBar::share_of(std::string_view phase) {
  static constexpr std::array<Share, 6> kShares = {{
      {"read the recording", 0, 0.25},
      {"find contended locations", 0.25, 0.4},
      {"analyze", 0.4, 0.7},
      {"judge", 0.7, 0.85},
      {"describe", 0.85, 0.87},
      {"replay", 0.87, 1},
  }};
  const auto found = std::ranges::find(kShares, word_of_phase(phase), &Share::word);
  return found == kShares.end() ? nullptr : &*found;
}

void PhaseBar::update(std::string_view phase, double fraction, Clock::time_point now) {
  const bool is_repeated = fraction >= 0 && last_known_ - fraction > 0.5;
  if (word_of_phase(phase) != word_of_phase(phase_)) {
    phase_began_ = now;
    last_known_ = 0;
    share_ = share_of(phase);
    if (share_ != nullptr) {
      from_ = std::max(done_, share_->begin);
      to_ = (from_ + std::max(from_, share_->end)) / 2;
    }
  } else if (is_repeated && share_ != nullptr) {
    from_ = done_;
    to_ = (from_ + std::max(from_, share_->end)) / 2;
  }
  phase_ = phase;
  fraction_ = fraction;
  if (fraction >= 0) last_known_ = fraction;
  if (share_ != nullptr && fraction >= 0) {
    done_ = std::max(done_, from_ + std::min(fraction, 1.0) * (to_ - from_));
  }
}

std::string PhaseBar::time_left(Clock::time_point now) const {
  constexpr double kEnoughToTell = 0.1;
  const double elapsed = Seconds(now - start_).count();
  if (done_ < kEnoughToTell || elapsed < 2) return "";
  const double left = elapsed * (1 - done_) / done_;
  if (left >= 90) return fmt::format(", about {:.0f} min left", left / 60);
  return fmt::format(", about {:.0f} s left", std::ceil(left));
}

std::string PhaseBar::text(Clock::time_point now) const {
  constexpr size_t kWidth = 20;
  const double in_phase = Seconds(now - phase_began_).count();
  if (share_ == nullptr) {
    return fraction_ < 0 ? fmt::format("{}, {:.0f} s", phase_, std::floor(in_phase))
                         : fmt::format("{} {:3.0f} %", phase_, 100 * fraction_);
  }
  const auto filled = static_cast<size_t>(done_ * kWidth);
  return fmt::format("[{:=>{}}{:>{}}] {:3.0f} %  {}{}", "", filled, "", kWidth - filled,
                     100 * done_, phase_, time_left(now));
}

}  // namespace foretell::pipeline

// SPDX-License-Identifier: Apache-2.0

// PhaseBar: one bar for all phases of a command that reads, analyzes, judges and replays.
//
// How long the later phases take is not known when the first begins, so each has a fixed share of
// the bar. A phase that is repeated (passes over the trace) takes half of what is left of its share
// each time, so the bar never goes backwards and never waits at its end.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace foretell::pipeline {

class PhaseBar {
 public:
  using Clock = std::chrono::steady_clock;

  explicit PhaseBar(Clock::time_point start = Clock::now()) : start_(start), phase_began_(start) {}

  // `phase` is what DriverOptions::progress and RecordRequest::progress call it; a fraction below 0
  // is not known.
  void update(std::string_view phase, double fraction, Clock::time_point now = Clock::now());

  double done() const { return done_; }
  bool is_empty() const { return phase_.empty(); }

  // "record: 120 MB, 12 s", "[=====>    ]  54 %  judge, about 20 s left".
  std::string text(Clock::time_point now = Clock::now()) const;

 private:
  struct Share {
    std::string_view word;  // that the phase begins with
    double begin, end;
  };
  static const Share* share_of(std::string_view phase);
  std::string time_left(Clock::time_point now) const;

  Clock::time_point start_, phase_began_;
  std::string phase_;
  const Share* share_ = nullptr;  // null: a phase that is not part of the whole
  double from_ = 0, to_ = 0;      // of the bar, for this phase
  double done_ = 0;               // of the whole
  double fraction_ = -1;          // of the phase
  double last_known_ = 0;         // the last one that was not below 0
};

}  // namespace foretell::pipeline

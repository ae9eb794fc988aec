// SPDX-License-Identifier: Apache-2.0

// RecordingFacts: how a recorded run went, from the header of its recording.
//
// Replay reads them after every run: how it ended, whether it followed its schedule, and if not,
// where it left it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "recording/file.h"
#include "recording/record.h"

namespace foretell::trace {

struct RecordingFacts {
  recording::Mode mode{};
  recording::State state{};
  uint64_t status = 0;  // exit status if finished, signal if crashed
  uint32_t pid = 0;
  uint64_t seed = 0;
  uint64_t start_time_ns = 0;
  uint64_t dropped_bytes = 0;
  uint64_t skipped_ignored = 0;
  uint64_t repeated_reads = 0;
  uint64_t watchdog_count = 0;
  uint64_t uncontrolled = 0;
  uint64_t schedule_steps = 0;
  recording::Divergence divergence{};
  uint64_t divergence_thread = 0;
  uint64_t divergence_step = 0;
  bool without_values = false;
  uint64_t forks = 0;
  uint64_t cut_at_end = 0;  // threads that had more to do when the process ended
  std::string error;        // why recording stopped early; empty if it did not

  // True if every step of the run was the scheduler's choice.
  bool fully_controlled() const {
    return mode == recording::Mode::controlled && uncontrolled == 0 && watchdog_count == 0;
  }

  bool operator==(const RecordingFacts&) const = default;
};

Result<RecordingFacts> read_recording_facts(const std::string& path);
RecordingFacts facts_of(const recording::FileHeader& header);

std::string_view word_of(recording::Mode mode);
std::optional<recording::Mode> parse_mode(std::string_view word);
std::string_view word_of(recording::State state);
std::string_view word_of(recording::Divergence divergence);
// The word of the event that did not come: "down", "join"; or what else is waited for: "futex".
std::string_view word_of(recording::Awaited awaited);

}  // namespace foretell::trace

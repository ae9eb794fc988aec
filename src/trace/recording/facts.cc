// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/facts.h"

#include <cstring>

#include "base/input_file.h"
#include "trace/event.h"
#include "trace/recording/chunk_streams.h"

namespace foretell::trace {

using recording::Awaited;
using recording::Divergence;
using recording::Mode;
using recording::State;

std::string_view word_of(Mode mode) {
  return recording::kModeWords[static_cast<uint32_t>(mode)];
}

std::optional<Mode> parse_mode(std::string_view word) {
  for (Mode mode : {Mode::controlled, Mode::parallel}) {
    if (word_of(mode) == word) return mode;
  }
  return std::nullopt;
}

std::string_view word_of(State state) {
  return recording::kStateWords[static_cast<uint32_t>(state)];
}

std::string_view word_of(Divergence divergence) {
  return recording::kDivergenceWords[static_cast<uint32_t>(divergence)];
}

std::string_view word_of(Awaited awaited) {
  switch (awaited) {
    case Awaited::semaphore:
      return word_of(EventKind::SemaphoreWait);
    case Awaited::thread:
      return word_of(EventKind::Join);
    case Awaited::futex:
      return "futex";
    case Awaited::once:
      return "once";
  }
  return "";
}

RecordingFacts facts_of(const recording::FileHeader& header) {
  return {.mode = header.mode,
          .state = header.state,
          .status = header.status,
          .pid = header.pid,
          .seed = header.seed,
          .start_time_ns = header.start_time_ns,
          .dropped_bytes = header.dropped_bytes,
          .skipped_ignored = header.skipped_ignored,
          .repeated_reads = header.repeated_reads,
          .watchdog_count = header.watchdog_count,
          .uncontrolled = header.uncontrolled,
          .schedule_steps = header.schedule_steps,
          .divergence = static_cast<Divergence>(header.divergence),
          .divergence_thread = header.divergence_thread,
          .divergence_step = header.divergence_step,
          .without_values = header.without_values != 0,
          .forks = header.forks,
          .cut_at_end = header.cut_at_end,
          .error = std::string(header.error, ::strnlen(header.error, sizeof header.error))};
}

Result<RecordingFacts> read_recording_facts(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  auto header = recording::header_of(file.bytes());
  if (!header) {
    header.error().where = path;
    return std::unexpected(std::move(header).error());
  }
  return facts_of(*header);
}

}  // namespace foretell::trace

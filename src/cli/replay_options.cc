// SPDX-License-Identifier: Apache-2.0

#include "cli/replay_options.h"

#include <fmt/format.h>

#include "cli/recording_options.h"

namespace foretell::cli {

void ReplayOptions::add_to(CLI::App& command) {
  command.add_flag("--no-replay", never, "Do not replay what was predicted");
  command.add_option("--replays", most, "Replay at most N findings");
  command
      .add_option("--replay-timeout", timeout,
                  "End a replay after N seconds (default: 20 times\nthe recorded run, at "
                  "least 10)")
      ->check(CLI::PositiveNumber);
}

std::optional<std::chrono::milliseconds> ReplayOptions::time_limit() const {
  return cli::time_limit(timeout);
}

std::string ReplayOptions::why_not(const finding::Finding& finding, size_t replayed,
                                   bool interrupted) const {
  if (finding.suppressed) return "not replayed: it is suppressed";
  if (interrupted) return "not replayed: interrupted";
  if (never) return "not replayed (--no-replay)";
  if (replayed == most) {
    return fmt::format("not replayed: only the first {} are (--replays=N)", most);
  }
  return "";
}

}  // namespace foretell::cli

// SPDX-License-Identifier: Apache-2.0

#include "cli/exploration_text.h"

#include <fmt/format.h>

namespace foretell::cli {
namespace {

std::string counted(size_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural);
}

// "17 runs, 5 behaviors".
std::string extent(const explore::Exploration& done) {
  return fmt::format("{}, {}", counted(done.counts.runs, "run", "runs"),
                     counted(done.counts.behaviors, "behavior", "behaviors"));
}

// What can be said of the schedules that were not run.
std::string coverage(const explore::Exploration& done) {
  switch (done.ending) {
    case explore::Ending::covered:
      return "all schedules of this input are covered";
    case explore::Ending::nothing_left:
    case explore::Ending::not_recorded:
      return "nothing is left to try, but not all schedules are covered";
    case explore::Ending::runs_used:
      return fmt::format("not all schedules are covered: {} left (--runs=N allows more)",
                         counted(done.counts.left, "alternative is", "alternatives are"));
    case explore::Ending::time_used:
      return fmt::format("not all schedules are covered: the time was used up, and {} left",
                         counted(done.counts.left, "alternative is", "alternatives are"));
    case explore::Ending::stopped:
      return fmt::format("interrupted: {} left",
                         counted(done.counts.left, "alternative is", "alternatives are"));
  }
  return "";
}

}  // namespace

Diagnostic exploration_note(const explore::Exploration& done, const std::string& where) {
  Diagnostic note{fmt::format("{}: {}", extent(done), coverage(done)), where};
  if (done.ending == explore::Ending::covered) return note;
  for (const auto& [what, times] : done.not_covered) {
    note.notes.push_back(fmt::format("not covered: {}", what));
  }
  note.exit_code = ExitCode::cut_short;
  return note;
}

}  // namespace foretell::cli

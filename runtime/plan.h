// Plan: the schedule to follow before a strategy takes over, in the ft1 form (docs/schedules.md).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace foretell::rt {

struct PlanRun {
  uint32_t thread;
  uint64_t steps;
};

// Where the run stands in its schedule. Touched by the holder of the token only.
struct Plan {
  PlanRun* runs = nullptr;
  size_t count = 0;
  size_t at = 0;                // the run being followed
  uint64_t done = 0;            // steps of it handed out
  uint64_t steps_done = 0;      // of all runs
  uint32_t* parents = nullptr;  // by thread; 0 unless the schedule says otherwise
  uint32_t parent_count = 0;

  bool over() const { return at == count; }
  PlanRun run() const { return {runs[at].thread, runs[at].steps - done}; }
  void advance(uint64_t steps);
  void give_up() { at = count; }

  // The number of the `ordinal`-th thread (from 0) that `parent` creates, or 0 if the schedule does
  // not say.
  uint32_t child(uint32_t parent, uint32_t ordinal) const;
};

extern Plan plan;

// Ends the process with 65 and a message if the file cannot be read or is not a schedule.
void load_plan(const char* path);

}  // namespace foretell::rt

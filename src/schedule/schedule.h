// SPDX-License-Identifier: Apache-2.0

// Schedule: in which order the threads of a program take their steps, and its text form.
//
// A step is one event of the recorded run (recording/record.h), so a schedule is the run-length
// encoding of the thread column of a trace. Threads are numbered in order of their creation in the
// recorded run; 0 is the first. Another schedule may create them in another order. Which thread
// creates which, and in which order each thread creates its own, never changes. So the schedule
// contains the parents that are not thread 0, and a number means the same thread under every
// schedule.
//
//   ft1:[PARENTS:]RUNS     RUNS    THREADxSTEPS separated by '.'     0x12.2x3.1x1
//                          PARENTS THREAD<PARENT separated by ','    3<1,4<2
//   ft2:...                the same for a run of which only contended memory is recorded
//                          (recording/watching.h): accesses of other memory are no steps. It means
//                          something only together with the names of that memory, which are kept
//                          beside the run.
//
// A file holds the same text; white space is ignored, lines that begin with # are comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace foretell::schedule {

// A thread's number in schedules; not a ThreadId, which is its place in one trace's tables.
enum class ThreadNumber : uint32_t {};

struct ScheduleRun {
  ThreadNumber thread{};
  uint64_t steps = 0;
  bool operator==(const ScheduleRun&) const = default;
};

struct ThreadParent {
  ThreadNumber thread{}, parent{};
  bool operator==(const ThreadParent&) const = default;
};

// Which plain accesses are steps.
enum class Counted : uint8_t { all_accesses, contended_accesses };

struct Schedule {
  std::vector<ScheduleRun> runs;      // canonical: no empty run, neighbors of different threads
  std::vector<ThreadParent> parents;  // of threads not created by thread 0, by thread
  Counted counted = Counted::all_accesses;

  // Adds steps at the end and keeps the canonical form.
  void append(ThreadNumber thread, uint64_t steps = 1);

  uint64_t steps() const;
  size_t switches() const { return runs.empty() ? 0 : runs.size() - 1; }
  // Its first `steps` steps.
  Schedule truncated(uint64_t steps) const;

  // The string form, on one line.
  std::string to_string() const;
  // The file form: lines of at most 100 columns after a comment.
  std::string to_file(std::string_view comment) const;

  bool operator==(const Schedule&) const = default;
};

// Either form. `name` is what messages call the text; runs need not be canonical in it.
Result<Schedule> parse_schedule(std::string_view text, const std::string& name = "schedule");

}  // namespace foretell::schedule

// SPDX-License-Identifier: Apache-2.0

// PlaceSchedule: a schedule whose segments end at places of the source instead of after a number of
// steps.
//
// A schedule of steps fits one sequence of steps for each thread. If a thread reads another value on
// the way, or if the program was changed, it takes more steps or fewer before it comes to where it is
// to stop, and every later segment is wrong. A segment of this form says where its thread stops:
// before its k-th event at a place, counted from the beginning of the segment. What it does in
// between is its own business.
//
//   fp1:[PARENTS:]SEGMENTS   PARENTS as in ft1 (schedule.h); SEGMENTS separated by ','
//   THREADxK@PLACE           until the thread is about to do its K-th event at PLACE (from 1)
//   THREADxSTEPS             STEPS steps
//   THREADx*                 until the thread ends or has to wait
//
// A place is a site as reports name it, "bank.cc:18:19"; it may leave out folders at its beginning.
// Commas, blanks, '#', '%' and control characters in it are written as in URLs: %2C.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.h"
#include "schedule/thread_column.h"

namespace foretell::schedule {

struct PlaceSegment {
  enum class End : uint8_t { at_place, after_steps, when_it_must };
  ThreadNumber thread{};
  End end = End::after_steps;
  uint64_t count = 0;      // events at the place, or steps
  std::string place = {};  // at_place
  bool operator==(const PlaceSegment&) const = default;
};

struct PlaceSchedule {
  std::vector<PlaceSegment> segments;
  std::vector<ThreadParent> parents;  // as a Schedule has them

  std::string to_string() const;
  std::string to_file(std::string_view comment) const;
  bool operator==(const PlaceSchedule&) const = default;
};

// Whether the text, or a file's, is meant to be one.
bool is_place_schedule(std::string_view text);
Result<PlaceSchedule> parse_place_schedule(std::string_view text,
                                           const std::string& name = "schedule");

// A schedule of the recorded run in this form. Its last `at_end` steps stay steps: they are what the
// others lead up to. Reads all raw events of `recorded`, which `column` is of.
Result<PlaceSchedule> by_places(const Schedule& schedule, size_t at_end,
                                trace::TraceReader& recorded, const ThreadColumn& column);

}  // namespace foretell::schedule

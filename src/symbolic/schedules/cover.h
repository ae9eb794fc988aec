// SPDX-License-Identifier: Apache-2.0

// Cover: what enumeration found. Epochs with their input-covering sets (COVER section 3), and every note
// on the way.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "smt/expr.h"
#include "symbolic/executor/inputs.h"
#include "symbolic/executor/path.h"
#include "symbolic/schedules/schedule.h"

namespace foretell::symbolic {

// A way of inputs to one schedule: all of the conditions hold.
struct Alternative {
  std::vector<smt::Expr> conditions;
  std::map<std::string, uint64_t> example;  // values of inputs, by name
};

struct CoveredSchedule {
  Schedule schedule;
  // One of them must hold.
  std::vector<Alternative> alternatives;
};

struct EpochCover {
  std::string name;  // "entry", or the places at which the threads begin
  std::vector<CoveredSchedule> schedules;
  // In the order in which they were found: (schedule, alternative). Of several that hold the first
  // counts.
  std::vector<std::pair<uint32_t, uint32_t>> order;
};

struct Cover {
  uint32_t threads = 0;  // besides main
  bool is_complete = false;
  std::string stopped_by;  // what cut it short, if anything
  std::vector<Input> inputs;
  // What is known of the inputs at entry; the constrained program checks it.
  std::vector<smt::Expr> known;
  std::vector<std::string> fixed_arguments;
  bool arguments_are_fixed = false;
  uint32_t most_arguments = 0, most_argument_bytes = 0;
  bool has_epochs = false;
  std::set<uint32_t> readings;  // instructions before which an epoch may end (epochs/markers.h)
  std::vector<EpochCover> epochs;
  std::vector<Note> notes;
  // Of instructions that occur in schedules: "t.c:12".
  std::map<uint32_t, std::string> places;

  uint64_t paths = 0, steps = 0;

  size_t pair_count() const;
  size_t schedule_count() const;
  bool has_open_notes() const;
};

}  // namespace foretell::symbolic

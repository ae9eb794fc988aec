// SPDX-License-Identifier: Apache-2.0

// What `foretell replay` replays, and on which program; its parts share this.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "finding/result.h"
#include "launch/run_directory.h"
#include "schedule/place_schedule.h"

namespace foretell::cli {

// A finding, a schedule or a seed.
struct ReplaySubject {
  std::string name;
  std::optional<finding::Finding> finding;
  std::optional<schedule::Schedule> schedule;  // none: a seed
  // A schedule by places, whose steps are not known yet.
  std::optional<schedule::PlaceSchedule> places = {};

  // Whether it is a finding whose events are there in the schedule.
  bool ends(finding::WitnessEnd end) const {
    return finding && witness_end_of(finding->kind()) == end;
  }
};

struct SubjectOptions {
  std::string finding;
  std::string schedule;
  std::optional<uint64_t> seed;
  std::string run_path;
  std::string binary;
  bool by_places = false;

  void add_to(CLI::App& command);
  Result<ReplaySubject> subject(const launch::RunDirectory& directory) const;
  // As recorded, with the program of the command line or of --binary in its place.
  Result<launch::RunInfo> program(const std::optional<launch::RunDirectory>& directory) const;
};

// On standard error, after what the program printed.
void say(const std::string& text);

}  // namespace foretell::cli

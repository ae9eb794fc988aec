// SPDX-License-Identifier: Apache-2.0

#include "cli/replay_subject.h"

#include <filesystem>

#include "cli/command.h"
#include "cli/recording_options.h"
#include "finding/json_reader.h"
#include "launch/recorder.h"
#include "launch/run_trace.h"
#include "replay/confirm.h"

namespace foretell::cli {

namespace fs = std::filesystem;

void say(const std::string& text) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

namespace {

Result<schedule::PlaceSchedule> places_of(const finding::Finding& finding,
                                          const schedule::Schedule& schedule,
                                          const launch::RunDirectory& directory) {
  FORETELL_TRY(recorded, launch::RunTrace(directory).open());
  FORETELL_TRY(column, schedule::ThreadColumn::read(*recorded));
  column.take_numbers_from(recorded->tables());
  const size_t at_end = replay::steps_at_end(witness_end_of(finding.kind()));
  FORETELL_TRY(places, schedule::by_places(schedule, at_end, *recorded, column));
  FORETELL_TRY(info, directory.info());
  // Files below the folder it ran in are named from there, as reports do.
  const std::string folder = info.directory + '/';
  for (schedule::PlaceSegment& segment : places.segments) {
    if (segment.place.starts_with(folder)) segment.place.erase(0, folder.size());
  }
  return std::move(places);
}

}  // namespace

void SubjectOptions::add_to(CLI::App& command) {
  command.add_option("FINDING", finding, "A finding of the last run: race-1");
  command.add_option("--schedule", schedule,
                     "A schedule instead: ft1:..., fp1:... or a file (docs/schedules.md)");
  command.add_flag("--by-places", by_places,
                   "Follow the finding's schedule by places in the source, not by\nnumbers of "
                   "steps, and print it in this form: it also fits\na program that was changed "
                   "elsewhere (--binary)");
  command.add_option("--seed", seed, "A seed instead, as given to record");
  command.add_option("--run", run_path, "Folder of the run (default: the last one)");
  command.add_option("--binary", binary, "Run this file instead of the recorded program");
}

Result<ReplaySubject> SubjectOptions::subject(const launch::RunDirectory& directory) const {
  const int named = !finding.empty() + !schedule.empty() + seed.has_value();
  if (named != 1) {
    return usage_error(
        "give exactly one thing to replay: a finding like race-1, --schedule or --seed");
  }
  ReplaySubject subject;
  if (seed && by_places) return usage_error("--by-places needs a finding");
  if (seed) {
    subject.name = fmt::format("seed-{}", *seed);
    return subject;
  }
  if (by_places && finding.empty()) return usage_error("--by-places needs a finding");
  if (!schedule.empty()) {
    subject.name = "schedule";
    FORETELL_TRY(places, read_place_schedule(schedule));
    if (places) {
      subject.places = std::move(*places);
      return subject;
    }
    FORETELL_TRY(parsed, read_schedule(schedule));
    subject.schedule = parsed;
    return subject;
  }
  FORETELL_TRY(found, finding::read_finding(directory.findings(), finding));
  if (!found.witness) {
    return std::unexpected(
        Diagnostic{fmt::format("{} has no witness, so there is no schedule to replay", finding), ""}
            .with_note(found.reason));
  }
  FORETELL_TRY(parsed, read_schedule(directory.schedule(finding)));
  if (by_places) {
    FORETELL_TRY(places, places_of(found, parsed, directory));
    subject.places = std::move(places);
  }
  subject.name = finding;
  subject.finding = std::move(found);
  subject.schedule = parsed;
  return subject;
}

Result<launch::RunInfo> SubjectOptions::program(
    const std::optional<launch::RunDirectory>& directory) const {
  launch::RunInfo info;
  if (directory) {
    FORETELL_TRY(recorded, directory->info());
    info = recorded;
  }
  if (!program_words().empty()) {
    info.command = program_words();
    info.directory = fs::current_path().string();
    info.standard_input.clear();
  }
  if (info.command.empty()) {
    return usage_error("name the program after --: foretell replay --schedule=... -- ./program");
  }
  if (!binary.empty()) {
    info.command[0] = fs::absolute(binary).string();
    FORETELL_TRY(build, launch::build_id_of(binary));
    if (directory && build != info.build) {
      say(fmt::format(
          "warning: {} is another build than the recorded one; the replay may diverge\n", binary));
    }
    return info;
  }
  FORETELL_TRY(path, launch::find_program(info.command[0], info.directory));
  // A schedule or a seed alone may be tried on any program.
  if (!finding.empty()) {
    auto same = check_same_build(info, path, directory->path());
    if (!same) {
      same.error().message =
          fmt::format("{} was recorded from a different build of {}", finding, info.command[0]);
      return std::unexpected(std::move(same).error());
    }
  }
  return info;
}

}  // namespace foretell::cli

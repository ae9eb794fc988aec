// SPDX-License-Identifier: Apache-2.0

#include "replay/places.h"

#include <optional>

#include "schedule/thread_column.h"

namespace foretell::replay {
namespace {

using schedule::PlaceSegment;

// How far a thread may run alone before it is stopped, the first time and at most.
constexpr uint64_t kFirstSteps = 20'000, kLongestSegment = 20'000'000, kMoreSteps = 32;

// What a thread did alone.
struct Stretch {
  bool exists = false;           // some step of it was seen, in the stretch or before
  uint64_t steps = 0;            // before the place, or all of them
  uint64_t seen = 0;             // events at the place
  bool found = false;            // it came to the place
  std::string next_thread = {};  // who went on after it, if anybody
};

// A place may leave out folders at its beginning.
bool is_place(std::string_view site, std::string_view place) {
  return site == place || (site.ends_with(place) && site[site.size() - place.size() - 1] == '/');
}

Result<Stretch> look(trace::TraceReader& reader, uint64_t skipped, const PlaceSegment& segment) {
  FORETELL_TRY(column, schedule::ThreadColumn::read(reader));
  column.take_numbers_from(reader.tables());
  Stretch stretch;
  uint64_t position = 0;
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (;;) {
    FORETELL_TRY(count, reader.read(batch));
    if (count == 0) return stretch;
    for (const trace::Event& e : std::span(batch).first(count)) {
      const bool is_its = column.number_of(e.thread) == segment.thread;
      stretch.exists |= is_its;
      if (position++ < skipped) continue;
      if (!is_its) {
        stretch.next_thread = std::string(reader.tables().threads[e.thread]);
        return stretch;
      }
      const bool is_there = segment.end == PlaceSegment::End::at_place && e.site != kNoSite &&
                            is_place(reader.tables().site_name(e.site), segment.place);
      if (is_there && ++stretch.seen == segment.count) {
        stretch.found = true;
        return stretch;
      }
      ++stretch.steps;
    }
  }
}

std::string why_not_there(size_t number, const PlaceSegment& segment, const Stretch& stretch) {
  const std::string where = fmt::format("segment {}: T{}", number, to_index(segment.thread));
  if (!stretch.exists) return where + " does not exist yet";
  const std::string end =
      stretch.next_thread.empty() ? "the program ended" : "it had to wait or ended";
  if (stretch.seen == 0) return fmt::format("{} did not come to {}: {}", where, segment.place, end);
  return fmt::format("{} came to {} only {} times: {}", where, segment.place, stretch.seen, end);
}

}  // namespace

Result<schedule::Schedule> steps_of_places(const Replayer& replayer,
                                           const schedule::PlaceSchedule& places,
                                           const ReplayRequest& request) {
  schedule::Schedule known{{}, places.parents};
  known.counted = replayer.info().only_contended ? schedule::Counted::contended_accesses
                                                 : schedule::Counted::all_accesses;
  ReplayRequest quietly = request;
  quietly.name += "-places";
  quietly.streams = Streams::captured;
  quietly.after = AfterSchedule::stop;
  for (const PlaceSegment& segment : places.segments) {
    if (segment.end == PlaceSegment::End::after_steps) {
      known.append(segment.thread, segment.count);
      continue;
    }
    const size_t number = static_cast<size_t>(&segment - places.segments.data()) + 1;
    const uint64_t before = known.steps();
    Stretch stretch;
    for (uint64_t most = kFirstSteps; most <= kLongestSegment; most *= kMoreSteps) {
      schedule::Schedule alone = known;
      alone.append(segment.thread, most);
      FORETELL_TRY(reader, replayer.recording_of_schedule(alone, quietly));
      if (!reader) return fail("segment {}: the program left no recording", number);
      FORETELL_TRY(seen, look(*reader, before, segment));
      stretch = seen;
      if (stretch.found || stretch.steps < most) break;
    }
    if (segment.end == PlaceSegment::End::at_place && !stretch.found) {
      return fail("{}", why_not_there(number, segment, stretch));
    }
    known.append(segment.thread, stretch.steps);
  }
  return known;
}

}  // namespace foretell::replay

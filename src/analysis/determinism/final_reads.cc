// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/final_reads.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretell::analysis {

FinalReads add_final_reads(const trace::Trace& trace, std::span<const LocationId> locations) {
  FinalReads result{trace, {}};
  trace::Trace& extended = result.trace;
  uint64_t index = trace.events.empty() ? 0 : to_index(trace.events.back().index) + 1;
  uint32_t threads = static_cast<uint32_t>(trace.tables.threads.size());
  std::vector<bool> has_events(threads);
  for (const trace::Event& e : trace.events) {
    const auto most =
        std::max(to_index(e.thread),
                 operands_of(e.kind) == trace::Operands::Thread ? to_index(e.other_thread()) : 0);
    if (most >= has_events.size()) has_events.resize(most + 1);
    has_events[to_index(e.thread)] = true;
  }
  threads = static_cast<uint32_t>(has_events.size());
  const ThreadId end{threads};
  auto add = [&](trace::EventKind kind, ThreadId thread, uint32_t object) {
    extended.events.push_back(
        {.kind = kind, .thread = thread, .object = object, .index = EventIndex{index++}});
  };
  for (uint32_t t = 0; t < threads; ++t) {
    if (has_events[t]) add(trace::EventKind::Join, end, t);
  }
  for (uint32_t i = 0; i < locations.size(); ++i) add(trace::EventKind::Fork, end, threads + 1 + i);
  for (uint32_t i = 0; i < locations.size(); ++i) {
    result.reads.push_back(static_cast<judge::Position>(extended.events.size()));
    add(trace::EventKind::Read, ThreadId{threads + 1 + i},
        static_cast<uint32_t>(to_index(locations[i])));
  }
  return result;
}

std::vector<judge::Position> possible_last_writes(const judge::TraceFacts& facts,
                                                  LocationId location) {
  const std::span<const judge::Position> writes = facts.writes_of(location);
  // Only the last one of a thread can be the last of all.
  std::vector<judge::Position> last;
  for (judge::Position w : writes) {
    const auto mine = std::ranges::find_if(
        last, [&](judge::Position p) { return facts.event(p).thread == facts.event(w).thread; });
    if (mine == last.end()) {
      last.push_back(w);
    } else {
      *mine = w;
    }
  }
  std::erase_if(last, [&](judge::Position c) {
    return std::ranges::any_of(last, [&](judge::Position later) {
      return later != c && facts.needs.at(later, facts.thread_index(c)) > facts.step[c];
    });
  });
  return last;
}

std::vector<LocationId> open_final_states(const judge::TraceFacts& facts) {
  std::vector<LocationId> open;
  for (uint32_t i = 0; i < facts.location_count(); ++i) {
    const LocationId location{i};
    if (facts.frees_of.contains(location) || facts.writes_of(location).size() < 2) continue;
    if (possible_last_writes(facts, location).size() > 1) open.push_back(location);
  }
  return open;
}

}  // namespace foretell::analysis

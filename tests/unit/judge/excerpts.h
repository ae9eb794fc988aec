// SPDX-License-Identifier: Apache-2.0

// Excerpts of traces in memory, for tests.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "judge/excerpt.h"

namespace foretell::judge {

// Nothing if there is an ambiguous read before it. Batches end anywhere.
inline std::optional<Excerpt> excerpt_of(const trace::Trace& trace, Stretch stretch) {
  constexpr size_t kBatch = 3;
  const std::span<const trace::Event> events = trace.events;
  auto for_each_batch = [&](auto handle) {
    for (size_t i = 0; i < events.size(); i += kBatch) {
      handle(events.subspan(i, std::min(kBatch, events.size() - i)));
    }
  };
  WaitFates fates(std::span(&stretch, 1));
  for_each_batch([&](std::span<const trace::Event> batch) { fates.on_events(batch); });
  std::optional<Excerpt> taken;
  ExcerptCutter cutter(
      {stretch}, fates,
      [&](LocationId id) {
        return to_index(id) < trace.cells.size() ? trace.cells[id].alloc : kNoEvent;
      },
      [&](size_t, const Excerpt* excerpt, EventIndex) {
        if (excerpt != nullptr) taken = *excerpt;
      });
  for_each_batch([&](std::span<const trace::Event> batch) { cutter.on_events(batch); });
  cutter.finish();
  return taken;
}

// Where the stretch begins in the trace.
inline Position start_of(const trace::Trace& trace, Stretch stretch) {
  const auto it = std::ranges::lower_bound(trace.events, stretch.from, {}, &trace::Event::index);
  return static_cast<Position>(it - trace.events.begin());
}

// The same reordering of the trace itself.
inline Reordering in_trace(const Reordering& order, const Excerpt& excerpt, Position start) {
  Reordering whole{order.recorded - excerpt.begin + start};
  for (Position p : order.steps) whole.steps.push_back(p - excerpt.begin + start);
  return whole;
}

}  // namespace foretell::judge

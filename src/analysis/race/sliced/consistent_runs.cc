// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sliced/consistent_runs.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <set>

namespace foretell::analysis::sliced {

ConsistentRuns::ConsistentRuns(std::span<const trace::Event> events, const Causality& causality,
                               const Filter& filter)
    : events_(events),
      causality_(causality),
      place_(events.size()),
      sections_(sections_of(events)) {
  for (size_t i = 0; i < events.size(); ++i) {
    const size_t thread = to_index(events[i].thread);
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    place_[i] = static_cast<uint32_t>(threads_[thread].size());
    if (!filter.is_relevant(events[i])) continue;
    relevant_.push_back(i);
    threads_[thread].push_back(i);
  }
}

bool ConsistentRuns::is_consistent(const Cut& cut) const {
  // Of each lock: the section that the cut has in part.
  absl::flat_hash_map<LockId, uint32_t> open;
  for (size_t event : relevant_) {
    if (!contains(cut, event)) continue;
    for (size_t before : relevant_) {
      if (!contains(cut, before) && causality_.is_before(events_, before, event)) return false;
    }
    for (const auto& [lock, section] : sections_[event]) {
      const bool whole = std::ranges::all_of(relevant_, [&](size_t other) {
        return section_in(sections_[other], lock) != section || contains(cut, other);
      });
      if (whole) continue;
      const auto [it, fresh] = open.try_emplace(lock, section);
      if (!fresh && it->second != section) return false;
    }
  }
  return true;
}

std::vector<size_t> ConsistentRuns::enabled(const Cut& cut) const {
  std::vector<size_t> events;
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (cut[t] == threads_[t].size()) continue;
    const size_t event = threads_[t][cut[t]];
    if (is_consistent(with(cut, event))) events.push_back(event);
  }
  return events;
}

ConsistentRuns::Cut ConsistentRuns::with(Cut cut, size_t event) const {
  ++cut[to_index(events_[event].thread)];
  return cut;
}

bool ConsistentRuns::for_each_level(size_t most, const Visit& visit) const {
  std::set<Cut> level = {initial()};
  while (!level.empty()) {
    std::set<Cut> next;
    for (const Cut& cut : level) {
      for (size_t event : enabled(cut)) {
        Cut after = with(cut, event);
        visit(cut, event, after);
        next.insert(std::move(after));
        if (next.size() > most) return false;
      }
    }
    level = std::move(next);
  }
  return true;
}

}  // namespace foretell::analysis::sliced

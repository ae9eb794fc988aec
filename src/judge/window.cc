// SPDX-License-Identifier: Apache-2.0

#include "judge/window.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace foretell::judge {
namespace {

// Adds the recorded choices to the needs, as far as the window's events are concerned.
class RecordedChoices {
 public:
  RecordedChoices(const TraceFacts& facts, Needs& needs, const std::vector<uint32_t>& begins)
      : facts_(facts), needs_(needs), looked_(begins) {}

  bool add() {
    do {
      if (!look_at_new_events()) return false;
      for (const auto& [lock, last] : last_) {
        if (!end_earlier_sections(lock, last)) return false;
      }
    } while (looked_ != needs_.limits());
    return true;
  }

 private:
  // The last begin of a section of each kind, in recorded order.
  struct Last {
    Position any = 0, exclusive = 0;
    bool has_exclusive = false;
  };

  bool look_at_new_events() {
    for (size_t t = 0; t < looked_.size(); ++t) {
      for (; looked_[t] < needs_.limits()[t]; ++looked_[t]) {
        const Position p = facts_.events_of[t][looked_[t]];
        const trace::EventKind kind = facts_.event(p).kind;
        if (begins_section(kind)) {
          Last& last = last_[facts_.event(p).lock()];
          last.any = std::max(last.any, p);
          if (begins_exclusive(kind)) {
            last.exclusive = std::max(last.exclusive, p);
            last.has_exclusive = true;
          }
        } else if (kind == trace::EventKind::TryFail || kind == trace::EventKind::TryFailShared) {
          if (!needs_.require(facts_.partner[p])) return false;
        } else if (is_read(kind) && !facts_.values.keeps_writer(p)) {
          if (!need_some_writer(p)) return false;
        }
      }
    }
    return true;
  }

  // A read that several writes can serve gets one of them, the recorded one if that may happen.
  bool need_some_writer(Position read) {
    const uint32_t value = facts_.values.wanted(read);
    if (value == ReadValues::kAnything) return true;
    const Position own = facts_.partner[read];
    const LocationId location = facts_.event(read).location();
    if (own == kNoPosition || needs_.is_needed(own)) return true;
    if (facts_.values.initial(location) == value) {
      if (!needs_.may_happen(own)) return true;
    }
    constexpr int kMostTried = 8;
    std::vector<Position> writers{own};
    // Then the nearest ones: those before the read, the last first; those after it.
    const std::span<const Position> all = facts_.values.writes_of(value);
    const auto middle = std::ranges::lower_bound(all, read);
    for (auto it = middle; it != all.begin() && writers.size() < kMostTried;) {
      if (needs_.is_needed(*--it)) return true;
      writers.push_back(*it);
    }
    for (auto it = middle; it != all.end() && writers.size() < kMostTried; ++it) {
      if (*it != read) writers.push_back(*it);
    }
    for (Position writer : writers) {
      if (!needs_.may_happen(writer)) continue;
      Needs more = needs_;
      if (more.require(writer)) return needs_.require(writer);
    }
    return facts_.values.initial(location) == value;
  }

  bool end_earlier_sections(LockId lock, Last last) {
    for (uint32_t t : facts_.locks.users(lock)) {
      const uint32_t limit = needs_.limits()[t];
      if (limit == 0) continue;
      const Position begin = facts_.locks.last_section(lock, t, limit);
      if (begin == kNoPosition || !needs_.is_open(begin)) continue;
      const Position end = facts_.match[begin];
      if (end == kNoPosition || !needs_.may_happen(end)) continue;
      const bool exclusive = begins_exclusive(facts_.event(begin).kind);
      if (!exclusive && !last.has_exclusive) continue;
      if ((exclusive ? last.any : last.exclusive) > begin && !needs_.require(end)) return false;
    }
    return true;
  }

  const TraceFacts& facts_;
  Needs& needs_;
  std::vector<uint32_t> looked_;  // by thread
  absl::flat_hash_map<LockId, Last> last_;
};

}  // namespace

std::optional<Window> open_window(const TraceFacts& facts, const Needs& needs, Position from) {
  if (from < facts.begins_at || from > facts.sound_until) return {};
  Window window{from, facts.steps_before(from)};
  for (size_t t = 0; t < window.begins.size(); ++t) {
    if (window.begins[t] > needs.ends()[t]) return {};
  }
  Needs chosen = needs;
  if (from > 0 && !chosen.require_recorded(from)) return {};
  const std::vector<uint32_t> strict = chosen.limits();
  const bool fits = RecordedChoices(facts, chosen, window.begins).add();
  window.limits = fits ? chosen.limits() : strict;
  return window;
}

Window whole_trace(const TraceFacts& facts, const Needs& needs) {
  return {facts.begins_at, facts.steps_before(facts.begins_at), needs.ends()};
}

Interleaving in_recorded_order(const TraceFacts& facts, const Window& window) {
  Interleaving order;
  order.reserve(window.size());
  Position last = window.from;
  for (size_t t = 0; t < window.limits.size(); ++t) {
    if (window.limits[t] > window.begins[t]) {
      last = std::max(last, facts.events_of[t][window.limits[t] - 1]);
    }
  }
  // Passing by the events in between is cheaper than merging the threads, unless there are many.
  constexpr size_t kPassedPerMerged = 12;
  if (last - window.from <= kPassedPerMerged * window.size()) {
    for (Position p = window.from; p <= last && p < facts.size(); ++p) {
      if (facts.step[p] < window.limits[facts.thread_index(p)]) order.push_back(p);
    }
    return order;
  }
  std::priority_queue<Position, std::vector<Position>, std::greater<>> next;
  for (size_t t = 0; t < window.limits.size(); ++t) {
    if (window.limits[t] > window.begins[t]) next.push(facts.events_of[t][window.begins[t]]);
  }
  while (!next.empty()) {
    const Position p = next.top();
    next.pop();
    order.push_back(p);
    const size_t t = facts.thread_index(p);
    if (facts.step[p] + 1 < window.limits[t]) next.push(facts.events_of[t][facts.step[p] + 1]);
  }
  return order;
}

}  // namespace foretell::judge

// SPDX-License-Identifier: Apache-2.0

#include "pipeline/witness_steps.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "judge/reordering.h"

namespace foretell::pipeline {
namespace {

// All pieces of the access that the event at `position` is a piece of.
struct Pieces {
  judge::Position begin, end;
  size_t count() const { return end - begin; }
};

Pieces pieces_of(const trace::Trace& trace, judge::Position position) {
  const EventIndex index = trace.events[position].index;
  Pieces pieces{position, position + 1};
  while (pieces.begin > 0 && trace.events[pieces.begin - 1].index == index) --pieces.begin;
  while (pieces.end < trace.events.size() && trace.events[pieces.end].index == index) ++pieces.end;
  return pieces;
}

enum class Place { first_piece, last_piece };
enum class Partial { left_out, completed };  // an access of which the witness has not all pieces

class WholeAccesses {
 public:
  WholeAccesses(const trace::Trace& trace, const judge::TraceFacts& facts, const judge::Goal& goal,
                const judge::Reordering& witness)
      : trace_(trace),
        facts_(facts),
        goal_(goal),
        recorded_(witness.recorded),
        order_(std::span(witness.steps).first(witness.steps.size() - goal.stopped().size())),
        stopped_(std::span(witness.steps).last(goal.stopped().size())) {}

  std::vector<judge::Position> find() const {
    for (Place place : {Place::first_piece, Place::last_piece}) {
      for (Partial partial : {Partial::left_out, Partial::completed}) {
        std::vector<judge::Position> units = arrange(place, partial);
        if (is_witness(expand(units))) return units;
      }
    }
    return arrange(Place::first_piece, Partial::completed);
  }

 private:
  EventIndex index(judge::Position p) const { return trace_.events[p].index; }

  bool is_witness(const judge::Interleaving& steps) const {
    // The cell of a race may be another one than the goal's.
    if (goal_.kind == judge::GoalKind::race) return !check_race_witness(facts_, {recorded_, steps});
    return !check_witness(facts_, goal_, {recorded_, steps});
  }

  bool is_stopped(judge::Position p) const {
    return std::ranges::any_of(stopped_, [&](judge::Position q) { return index(q) == index(p); });
  }

  // The accesses before the stopped events, each by its first piece.
  std::vector<judge::Position> arrange(Place place, Partial partial) const {
    absl::flat_hash_map<EventIndex, size_t> seen;
    for (judge::Position p : order_) ++seen[index(p)];
    std::vector<judge::Position> units;
    absl::flat_hash_map<EventIndex, size_t> passed;
    for (judge::Position p : order_) {
      if (is_stopped(p)) continue;
      const Pieces pieces = pieces_of(trace_, p);
      const size_t present = seen[index(p)];
      if (present < pieces.count() && partial == Partial::left_out) continue;
      const size_t number = ++passed[index(p)];
      if (number == (place == Place::first_piece ? 1 : present)) units.push_back(pieces.begin);
    }
    return units;
  }

  // As normalized events. A race ends with the first cell that both accesses touch: what they touch
  // before it is not common, so its order does not matter.
  judge::Interleaving expand(const std::vector<judge::Position>& units) const {
    judge::Interleaving order;
    auto add = [&](judge::Position begin, judge::Position end) {
      for (judge::Position p = begin; p < end; ++p) order.push_back(p);
    };
    for (judge::Position unit : units) add(unit, pieces_of(trace_, unit).end);
    if (goal_.kind != judge::GoalKind::race) {
      order.insert(order.end(), stopped_.begin(), stopped_.end());
      return order;
    }
    const Pieces first = pieces_of(trace_, stopped_[0]), second = pieces_of(trace_, stopped_[1]);
    auto [a, b] = common_cell(first, second);
    add(first.begin, a);
    add(second.begin, b);
    order.push_back(a);
    order.push_back(b);
    return order;
  }

  std::pair<judge::Position, judge::Position> common_cell(Pieces first, Pieces second) const {
    for (judge::Position a = first.begin; a < first.end; ++a) {
      for (judge::Position b = second.begin; b < second.end; ++b) {
        if (clash(trace_.events[a], trace_.events[b])) return {a, b};
      }
    }
    return {stopped_[0], stopped_[1]};
  }

  const trace::Trace& trace_;
  const judge::TraceFacts& facts_;
  const judge::Goal& goal_;
  const judge::Position recorded_;
  std::span<const judge::Position> order_;
  std::span<const judge::Position> stopped_;
};

}  // namespace

std::vector<EventIndex> input_steps(std::span<const WitnessStep> steps, size_t last,
                                    std::span<const trace::Event> folded, EventIndex begin) {
  absl::flat_hash_map<ThreadId, std::deque<EventIndex>> waiting;
  for (const trace::Event& e : folded) {
    if (e.index >= begin) waiting[e.thread].push_back(e.index);
  }
  std::vector<EventIndex> indices;
  auto add_folded_before = [&](const WitnessStep& step) {
    auto mine = waiting.find(step.thread);
    if (mine == waiting.end()) return;
    for (auto& queue = mine->second; !queue.empty() && queue.front() < step.index;
         queue.pop_front()) {
      indices.push_back(queue.front());
    }
  };

  CHECK(steps.size() >= last);
  const std::span<const WitnessStep> at_end = steps.last(last);
  absl::flat_hash_set<EventIndex> placed;
  for (const WitnessStep& step : at_end) placed.insert(step.index);
  for (const WitnessStep& step : steps.first(steps.size() - last)) {
    if (!placed.insert(step.index).second) continue;
    add_folded_before(step);
    indices.push_back(step.index);
  }
  for (const WitnessStep& step : at_end) add_folded_before(step);
  for (const WitnessStep& step : at_end) indices.push_back(step.index);
  return indices;
}

std::vector<EventIndex> input_steps(const trace::Trace& trace, const judge::TraceFacts& facts,
                                    const judge::Goal& goal, const judge::Reordering& witness) {
  const judge::Interleaving& listed = witness.steps;
  const size_t stopped = goal.stopped().size();
  CHECK(listed.size() >= stopped);
  const bool split = std::ranges::any_of(
      listed, [&](judge::Position p) { return pieces_of(trace, p).count() > 1; });
  std::vector<judge::Position> units(listed.begin(),
                                     listed.end() - static_cast<ptrdiff_t>(stopped));
  if (split) units = WholeAccesses(trace, facts, goal, witness).find();
  units.insert(units.end(), listed.end() - static_cast<ptrdiff_t>(stopped), listed.end());

  std::vector<WitnessStep> steps;
  steps.reserve(units.size());
  for (judge::Position p : units) steps.push_back({trace.events[p].index, trace.events[p].thread});
  std::vector<EventIndex> indices =
      input_steps(steps, stopped, trace.folded,
                  witness.recorded > 0 ? trace.events[witness.recorded].index : EventIndex{});
  if (goal.kind == judge::GoalKind::deadlock) indices.resize(indices.size() - stopped);
  return indices;
}

}  // namespace foretell::pipeline

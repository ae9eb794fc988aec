#include "pipeline/witness_steps.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "judge/reordering.h"

namespace foretell {
namespace {

// All pieces of the access that the event at `position` is a piece of.
struct Pieces {
  Position begin, end;
  size_t count() const { return end - begin; }
};

Pieces pieces_of(const Trace& trace, Position position) {
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
  WholeAccesses(const Trace& trace, const TraceFacts& facts, const Goal& goal,
                const Reordering& witness)
      : trace_(trace),
        facts_(facts),
        goal_(goal),
        recorded_(witness.recorded),
        order_(std::span(witness.steps).first(witness.steps.size() - goal.stopped().size())),
        stopped_(std::span(witness.steps).last(goal.stopped().size())) {}

  std::vector<Position> find() const {
    for (Place place : {Place::first_piece, Place::last_piece}) {
      for (Partial partial : {Partial::left_out, Partial::completed}) {
        std::vector<Position> units = arrange(place, partial);
        if (is_witness(expand(units))) return units;
      }
    }
    return arrange(Place::first_piece, Partial::completed);
  }

 private:
  EventIndex index(Position p) const { return trace_.events[p].index; }

  bool is_witness(Interleaving steps) const {
    // The cell of a race may be another one than the goal's.
    if (goal_.kind == GoalKind::race) return !check_race_witness(facts_, {recorded_, steps});
    return !check_witness(facts_, goal_, {recorded_, steps});
  }

  bool is_stopped(Position p) const {
    return std::ranges::any_of(stopped_, [&](Position q) { return index(q) == index(p); });
  }

  // The accesses before the stopped events, each by its first piece.
  std::vector<Position> arrange(Place place, Partial partial) const {
    absl::flat_hash_map<EventIndex, size_t> seen;
    for (Position p : order_) ++seen[index(p)];
    std::vector<Position> units;
    absl::flat_hash_map<EventIndex, size_t> passed;
    for (Position p : order_) {
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
  Interleaving expand(const std::vector<Position>& units) const {
    Interleaving order;
    auto add = [&](Position begin, Position end) {
      for (Position p = begin; p < end; ++p) order.push_back(p);
    };
    for (Position unit : units) add(unit, pieces_of(trace_, unit).end);
    if (goal_.kind != GoalKind::race) {
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

  std::pair<Position, Position> common_cell(Pieces first, Pieces second) const {
    for (Position a = first.begin; a < first.end; ++a) {
      for (Position b = second.begin; b < second.end; ++b) {
        if (clash(trace_.events[a], trace_.events[b])) return {a, b};
      }
    }
    return {stopped_[0], stopped_[1]};
  }

  const Trace& trace_;
  const TraceFacts& facts_;
  const Goal& goal_;
  const Position recorded_;
  std::span<const Position> order_;
  std::span<const Position> stopped_;
};

}  // namespace

std::vector<EventIndex> input_steps(std::span<const WitnessStep> steps, size_t last,
                                    std::span<const Event> folded, EventIndex begin) {
  absl::flat_hash_map<ThreadId, std::deque<EventIndex>> waiting;
  for (const Event& e : folded) {
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

std::vector<EventIndex> input_steps(const Trace& trace, const TraceFacts& facts, const Goal& goal,
                                    const Reordering& witness) {
  const Interleaving& listed = witness.steps;
  const size_t stopped = goal.stopped().size();
  CHECK(listed.size() >= stopped);
  const bool split =
      std::ranges::any_of(listed, [&](Position p) { return pieces_of(trace, p).count() > 1; });
  std::vector<Position> units(listed.begin(), listed.end() - static_cast<ptrdiff_t>(stopped));
  if (split) units = WholeAccesses(trace, facts, goal, witness).find();
  units.insert(units.end(), listed.end() - static_cast<ptrdiff_t>(stopped), listed.end());

  std::vector<WitnessStep> steps;
  steps.reserve(units.size());
  for (Position p : units) steps.push_back({trace.events[p].index, trace.events[p].thread});
  std::vector<EventIndex> indices =
      input_steps(steps, stopped, trace.folded,
                  witness.recorded > 0 ? trace.events[witness.recorded].index : EventIndex{});
  if (goal.kind == GoalKind::deadlock) indices.resize(indices.size() - stopped);
  return indices;
}

}  // namespace foretell

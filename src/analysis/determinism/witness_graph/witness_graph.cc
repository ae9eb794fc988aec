#include "analysis/determinism/witness_graph/witness_graph.h"

#include <cmath>

#include "analysis/determinism/witness_graph/choices.h"

namespace foretell {

WitnessGraph::WitnessGraph(const TraceFacts& facts)
    : facts_(facts), parts_(facts), without_couple_(parts_), without_writer_(parts_) {
  for (const auto& events : facts.events_of) whole_.push_back(static_cast<uint32_t>(events.size()));
}

void WitnessGraph::prepare(Position read) {
  if (prepared_ == read) return;
  prepared_ = read;
  without_couple_.build(read, whole_);
}

// Cuts each thread before its first event that needs the writer, be it through program order, a
// sync edge or another read-couple.
void WitnessGraph::prepare_without_writer(Position read) {
  if (prepared_without_ == read) return;
  prepared_without_ = read;
  const Position writer = facts_.partner[read];
  std::vector<uint32_t> limits = whole_;
  auto is_cut = [&](Position p) { return facts_.step[p] >= limits[facts_.thread_index(p)]; };
  limits[facts_.thread_index(writer)] = facts_.step[writer];
  for (Position p = writer + 1; p < facts_.size(); ++p) {
    if (is_cut(p)) continue;
    bool cut = false;
    for (Position q : parts_.sync_before(p)) cut |= is_cut(q);
    if (is_read(facts_.event(p).kind) && p != read) {
      const Position seen = facts_.partner[p];
      cut |= seen != kNoPosition && seen != kUnknownWriter && is_cut(seen);
    }
    if (cut) limits[facts_.thread_index(p)] = facts_.step[p];
  }
  can_be_without_ = !is_cut(read) && without_writer_.build(read, limits);
}

WitnessFate WitnessGraph::decide(const PaperWitness& witness) {
  std::vector<Edge> order;
  const auto& [read, writer, challenger, kind] = witness;
  if (challenger != kNoPosition && read != kNoPosition) order.emplace_back(challenger, read);
  if (kind == WitnessOrder::read_first) order.emplace_back(read, writer);
  if (kind == WitnessOrder::challenger_last && writer != kNoPosition) {
    order.emplace_back(writer, challenger);
  }
  WitnessFate fate = WitnessFate::cycle;
  if (kind != WitnessOrder::without_writer) {
    prepare(read);
    fate = decide_in(without_couple_, order);
  } else {
    prepare_without_writer(read);
    const bool has_challenger =
        challenger == kNoPosition || (can_be_without_ && !without_writer_.is_cut(challenger));
    if (can_be_without_ && has_challenger) fate = decide_in(without_writer_, order);
  }
  ++counts_.possible;
  counts_.cycles += fate == WitnessFate::cycle;
  counts_.no_choice += fate == WitnessFate::no_choice;
  counts_.choice_feasible += fate == WitnessFate::choice_acyclic;
  counts_.gave_up += fate == WitnessFate::gave_up;
  return fate;
}

WitnessFate WitnessGraph::decide_in(OrderGraph& graph, std::span<const Edge> order) {
  // Most witnesses are refuted here, without anything being added.
  for (const auto& [from, to] : order) {
    if (graph.reaches(to, from)) return WitnessFate::cycle;
  }
  const size_t before = graph.added();
  bool acyclic = true;
  for (const auto& [from, to] : order) acyclic = acyclic && graph.add(from, to);
  const WitnessFate fate = acyclic ? explore_choices(graph, order) : WitnessFate::cycle;
  graph.take_back_to(before);
  return fate;
}

WitnessFate WitnessGraph::explore_choices(const OrderGraph& graph, std::span<const Edge> order) {
  const std::vector<ChoicePair> pairs = find_choices(graph, order);
  if (pairs.empty()) return WitnessFate::no_choice;
  ++counts_.with_choice;
  counts_.possible_choice_graphs += std::exp2(static_cast<double>(pairs.size()));
  std::vector<bool> second(pairs.size());
  std::vector<Edge> chosen;
  for (uint64_t explored = 0; explored < kMostChoiceGraphs; ++explored) {
    chosen.clear();
    for (size_t i = 0; i < pairs.size(); ++i) {
      chosen.push_back(second[i] ? pairs[i].second : pairs[i].first);
    }
    ++counts_.explored_choice_graphs;
    if (graph.stays_acyclic_with(chosen)) return WitnessFate::choice_acyclic;
    size_t digit = 0;
    while (digit < second.size() && second[digit]) second[digit++] = false;
    if (digit == second.size()) return WitnessFate::choice_all_cyclic;
    second[digit] = true;
  }
  return WitnessFate::gave_up;
}

}  // namespace foretell

#include "analysis/determinism/witness_graph/witness_graph.h"

#include <algorithm>
#include <cmath>

namespace foretell {

WitnessGraph::WitnessGraph(const TraceFacts& facts)
    : facts_(facts),
      parts_(facts),
      whole_graph_(parts_),
      without_couple_(parts_),
      without_writer_(parts_),
      choices_(parts_) {
  for (const auto& events : facts.events_of) whole_.push_back(static_cast<uint32_t>(events.size()));
  whole_graph_.build();
}

OrderGraph& WitnessGraph::prepare(Position read) {
  const Position writer = read == kNoPosition ? kNoPosition : facts_.partner[read];
  const bool is_edge = writer != kNoPosition && writer != kUnknownWriter &&
                       facts_.event(writer).thread != facts_.event(read).thread;
  if (!is_edge) return whole_graph_;
  // What orders the two anyway makes the couple redundant.
  const uint32_t step = facts_.step[read];
  if (step > 0 && needs(facts_.events_of[facts_.thread_index(read)][step - 1], writer)) {
    return whole_graph_;
  }
  if (prepared_ == read) return without_couple_;
  prepared_ = read;
  without_couple_.derive(whole_graph_, read, whole_);
  return without_couple_;
}

// A cycle without locks. No path that is looked at here uses the read-couple of the witness, or
// there is one from the read to the challenger as well.
bool WitnessGraph::has_plain_cycle(const PaperWitness& witness) const {
  const auto& [read, writer, challenger, order] = witness;
  const bool has_both = writer != kNoPosition && challenger != kNoPosition;
  if (read != kNoPosition && challenger != kNoPosition && needs(challenger, read)) return true;
  if (order == WitnessOrder::challenger_last) return has_both && needs(writer, challenger);
  // The writer comes after the read, or not at all.
  if (challenger != kNoPosition && needs(challenger, writer)) return true;
  const uint32_t step = facts_.step[read];
  return step > 0 && needs(facts_.events_of[facts_.thread_index(read)][step - 1], writer);
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
  size_t uncut = whole_.size() - 1;
  for (Position p = writer + 1; p < facts_.size() && uncut > 0; ++p) {
    if (is_cut(p)) continue;
    bool cut = false;
    for (Position q : parts_.sync_before(p)) cut |= is_cut(q);
    if (is_read(facts_.event(p).kind) && p != read) {
      const Position seen = facts_.partner[p];
      cut |= seen != kNoPosition && seen != kUnknownWriter && is_cut(seen);
    }
    if (!cut) continue;
    limits[facts_.thread_index(p)] = facts_.step[p];
    --uncut;
  }
  can_be_without_ = !is_cut(read) && without_writer_.derive(whole_graph_, read, limits);
}

WitnessFate WitnessGraph::decide(const PaperWitness& witness) {
  const auto& [read, writer, challenger, kind] = witness;
  std::vector<Edge>& order = order_;
  order.clear();
  if (challenger != kNoPosition && read != kNoPosition) order.emplace_back(challenger, read);
  if (kind == WitnessOrder::read_first) order.emplace_back(read, writer);
  if (kind == WitnessOrder::challenger_last && writer != kNoPosition) {
    order.emplace_back(writer, challenger);
  }
  WitnessFate fate = WitnessFate::cycle;
  if (has_plain_cycle(witness)) {
    // The most frequent fate costs nothing.
  } else if (kind == WitnessOrder::challenger_last) {
    // The order itself has the writer before the read, with or without the couple.
    fate = decide_in(whole_graph_, order);
  } else if (kind == WitnessOrder::read_first) {
    fate = decide_in(prepare(read), order);
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

// Tries the edges of one pair after the other. An edge that closes a cycle leaves its partner only,
// and two of them end all choice graphs with what was chosen so far: those count as one.
bool WitnessGraph::choose(OrderGraph& graph, std::span<const ChoicePair> pairs, Search& search) {
  // Pairs that the choices so far have ordered: adding their edges would only slow down the rest.
  auto is_ordered = [&](const ChoicePair& pair) {
    return graph.reaches(pair.first.first, pair.first.second) ||
           graph.reaches(pair.second.first, pair.second.second);
  };
  while (!pairs.empty() && !search.is_over() && is_ordered(pairs.front())) {
    pairs = pairs.subspan(1);
    search.work += graph.added();
  }
  if (pairs.empty()) {
    ++search.explored;
    return true;
  }
  if (search.is_over()) return false;
  bool is_dead_end = true;
  for (const Edge& edge : {pairs.front().first, pairs.front().second}) {
    if (graph.reaches(edge.second, edge.first)) continue;
    is_dead_end = false;
    const size_t before = graph.added();
    graph.add_plain(edge.first, edge.second);
    search.work += graph.added();
    if (choose(graph, pairs.subspan(1), search)) return true;
    graph.take_back_to(before);
    if (search.is_over()) return false;
  }
  if (is_dead_end) ++search.explored;
  return false;
}

WitnessFate WitnessGraph::explore_choices(OrderGraph& graph, std::span<const Edge> order) {
  const uint64_t pairs = choices_.find(graph, order);
  if (pairs == 0) return WitnessFate::no_choice;
  ++counts_.with_choice;
  counts_.possible_choice_graphs += std::exp2(static_cast<double>(pairs));
  // One of two graphs is nearly always acyclic: the one in which what has to wait waits for
  // everything else, and the one with the choices of the recorded run.
  uint64_t explored = 1;
  bool acyclic = choices_.can_be_postponed();
  if (!acyclic) {
    ++explored;
    acyclic = graph.is_acyclic_with(choices_.recorded_choices());
  }
  bool gave_up = false;
  if (!acyclic) {
    Search search;
    acyclic = choose(graph, choices_.pairs(), search);
    gave_up = search.is_over();
    explored += search.explored;
  }
  counts_.explored_choice_graphs += explored;
  if (acyclic) return WitnessFate::choice_acyclic;
  return gave_up ? WitnessFate::gave_up : WitnessFate::choice_all_cyclic;
}

}  // namespace foretell

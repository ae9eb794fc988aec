// witness_graph: nondeterminism as NONDET finds it (sections II and III, figure 8).
//
// A triplet is a read r, the write w it saw, and another write c of the same variable. Every
// variable has an implicit write before everything and an implicit read after everything. There are
// three orders in which r does not see w:
//     (1) c, r, w      (2) w, c, r      (3) c, r, and w does not occur
// Each is a witness; implicit events leave out those that they make senseless (nothing comes before
// the initial write, nothing after a final read, and both occur). A witness is decided in two
// phases:
//   1. The witness order graph G': program order, sync edges, all other read-couples, the order of
//      the witness, and what these induce between locked scopes (order_graph.h). In order (3) what
//      follows from w is left out with it. A cycle: infeasible.
//   2. Locked scopes that G' leaves unordered could be executed in either order. Only pairs on a
//      path of the lock abstraction graph from the end of an order edge of the witness back to its
//      beginning can close a cycle (S_choice). None: feasible. Else the choice graphs, with one
//      edge of each pair, are tried until one is acyclic; those that share a cycle count as one.
//
// This is the paper's verdict, not the truth: docs/papers.md has the smallest trace for which they
// differ. read_views.h answers exactly.
//
// Most witnesses have a cycle of program order, sync edges and read-couples alone, and the clocks
// of these (order/need_clocks.h) say so at once. Order (2) has w before r anyway and is decided in
// the graph of the whole trace. For the others the read-couple of (w, r) is taken out once for all
// challengers, as is what does not occur without w: two graphs per read at most, each derived from
// the whole one; then per witness the clocks of a few events. A couple within one thread, or with
// the initial write, is no edge of its own: such reads share one graph.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/determinism/witness_graph/choices.h"
#include "analysis/determinism/witness_graph/order_graph.h"

namespace foretell {

enum class WitnessOrder : uint8_t { read_first = 1, challenger_last = 2, without_writer = 3 };

// What became of one witness.
enum class WitnessFate : uint8_t {
  cycle,              // in G': infeasible
  no_choice,          // acyclic, and S_choice is empty: feasible
  choice_acyclic,     // feasible
  choice_all_cyclic,  // infeasible
  gave_up,            // too many choice graphs
};

constexpr bool is_feasible(WitnessFate fate) {
  return fate == WitnessFate::no_choice || fate == WitnessFate::choice_acyclic;
}

struct PaperWitness {
  Position read;        // kNoPosition: the final read
  Position writer;      // kNoPosition: the initial write
  Position challenger;  // the same
  WitnessOrder order;
};

// The columns of table A1, added up.
struct WitnessCounts {
  uint64_t possible = 0, cycles = 0, no_choice = 0, with_choice = 0, gave_up = 0;
  uint64_t choice_feasible = 0;
  double possible_choice_graphs = 0;
  uint64_t explored_choice_graphs = 0;

  uint64_t feasible() const { return no_choice + choice_feasible; }
  uint64_t infeasible() const { return possible - feasible() - gave_up; }
  double graphs_per_witness() const {
    const auto graphs = static_cast<double>(possible - with_choice + explored_choice_graphs);
    return possible == 0 ? 0 : graphs / static_cast<double>(possible);
  }
};

class WitnessGraph {
 public:
  explicit WitnessGraph(const TraceFacts& facts);

  // All witnesses of a read, or of the final read of a location. `on_witness` is told of each.
  template <class OnWitness>
  void decide_read(Position read, OnWitness&& on_witness);
  template <class OnWitness>
  void decide_final(LocationId location, OnWitness&& on_witness);

  const WitnessCounts& counts() const { return counts_; }

  // Of the search among all choice graphs of a witness; work is edges followed.
  static constexpr uint64_t kMostChoiceGraphs = 1 << 12;
  static constexpr uint64_t kMostWork = 1 << 22;

 private:
  using Edge = OrderGraph::Edge;

  bool has_plain_cycle(const PaperWitness& witness) const;
  bool needs(Position later, Position earlier) const {
    return facts_.needs.at(later, facts_.thread_index(earlier)) > facts_.step[earlier] ||
           later == earlier;
  }
  OrderGraph& prepare(Position read);
  void prepare_without_writer(Position read);
  WitnessFate decide(const PaperWitness& witness);
  WitnessFate decide_in(OrderGraph& graph, std::span<const Edge> order);
  WitnessFate explore_choices(OrderGraph& graph, std::span<const Edge> order);
  struct Search {
    uint64_t explored = 0, work = 0;
    bool is_over() const { return explored >= kMostChoiceGraphs || work >= kMostWork; }
  };
  static bool choose(OrderGraph& graph, std::span<const ChoicePair> pairs, Search& search);

  const TraceFacts& facts_;
  const GraphParts parts_;
  std::vector<uint32_t> whole_;  // by thread: all its events
  OrderGraph whole_graph_;       // with all read-couples
  OrderGraph without_couple_;
  OrderGraph without_writer_;
  Position prepared_ = kNoPosition - 1;          // the read of without_couple_
  Position prepared_without_ = kNoPosition - 1;  // the read of without_writer_
  bool can_be_without_ = false;                  // that graph has no cycle, and has the read
  ChoiceFinder choices_;
  std::vector<Edge> order_;  // of the witness being decided
  WitnessCounts counts_;
};

template <class OnWitness>
void WitnessGraph::decide_read(Position read, OnWitness&& on_witness) {
  const Position writer = facts_.partner[read];
  auto decide_all = [&](Position challenger) {
    for (WitnessOrder order :
         {WitnessOrder::read_first, WitnessOrder::challenger_last, WitnessOrder::without_writer}) {
      // The initial write comes first and always occurs.
      const bool writer_is_late = order != WitnessOrder::challenger_last;
      if (writer == kNoPosition && writer_is_late) continue;
      if (challenger == kNoPosition && !writer_is_late) continue;
      const PaperWitness witness{read, writer, challenger, order};
      on_witness(witness, decide(witness));
    }
  };
  for (Position challenger : facts_.writes_of(facts_.event(read).location())) {
    if (challenger != writer && challenger != read) decide_all(challenger);
  }
  if (writer != kNoPosition) decide_all(kNoPosition);
}

template <class OnWitness>
void WitnessGraph::decide_final(LocationId location, OnWitness&& on_witness) {
  const std::span<const Position> writes = facts_.writes_of(location);
  if (writes.empty()) return;
  for (Position challenger : writes.first(writes.size() - 1)) {
    const PaperWitness witness{kNoPosition, writes.back(), challenger,
                               WitnessOrder::challenger_last};
    on_witness(witness, decide(witness));
  }
}

}  // namespace foretell

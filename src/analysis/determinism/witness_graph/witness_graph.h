// SPDX-License-Identifier: Apache-2.0

// witness_graph: nondeterminism as NONDET finds it (sections II and III, figure 8).
//
// A triplet is a read r, the write w it saw, and another write c of the same variable. Every
// variable has an implicit write before everything and an implicit read after everything. There are
// three orders in which r does not see w:
//     (1) c, r, w      (2) w, c, r      (3) c, r, and w does not occur
// Each is a witness; implicit events leave out those that they make senseless (nothing comes before
// the initial write, nothing after a final read, and both occur). Two phases decide a witness:
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
// The witnesses of a read are decided together, one thread of challengers after the other. For
// challengers c before c' of one thread:
//   order     c' before r implies c before r, and w before c implies w before c'. So what the
//             clocks of the graph refute without any added edge are the writes up to one and from
//             one on, found by bisection, and so is what is left of orders (1) and (3), and of (2)
//             where one of the two orders holds anyway.
//   postpone  if all that follows from r, scopes as a whole, waits for everything else, what is
//             left is the recorded run: every c that does not follow from r is before it. One set
//             per read decides nearly all that the clocks leave.
//   locks     a lock that is held from w to r keeps every c that needs it out of there.
// Only what is between these is looked at alone. For orders (1) and (3) the read-couple of (w, r)
// is taken out, as is what does not occur without w: two graphs per read at most, each derived from
// the whole one. A couple within one thread, or with the initial write, is no edge of its own.
//
// The paper's table has more columns than verdicts: how many witnesses have choices, and how many.
// Detail::choices looks at every witness that the clocks leave, alone and through both phases.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/determinism/witness_graph/choices.h"
#include "analysis/determinism/witness_graph/order_graph.h"
#include "analysis/determinism/witness_graph/scope_reach.h"
#include "analysis/determinism/witness_graph/without_writer.h"
#include "analysis/determinism/writes_by_thread.h"

namespace foretell::analysis {

enum class WitnessOrder : uint8_t { read_first = 1, challenger_last = 2, without_writer = 3 };

// What became of one witness.
enum class WitnessFate : uint8_t {
  cycle,              // in G': infeasible
  no_choice,          // acyclic, and S_choice is empty: feasible
  choice_acyclic,     // feasible
  choice_all_cyclic,  // infeasible
  gave_up,            // too many choice graphs
  feasible,           // whether there was a choice was not asked
};

constexpr bool is_feasible(WitnessFate fate) {
  return fate == WitnessFate::no_choice || fate == WitnessFate::choice_acyclic ||
         fate == WitnessFate::feasible;
}

// The columns of table A1, added up.
struct WitnessCounts {
  uint64_t possible = 0, feasible = 0, gave_up = 0;
  // With Detail::choices only.
  uint64_t cycles = 0, no_choice = 0, with_choice = 0;
  double possible_choice_graphs = 0;
  uint64_t explored_choice_graphs = 0;

  WitnessCounts& operator+=(const WitnessCounts& other) {
    possible += other.possible;
    feasible += other.feasible;
    gave_up += other.gave_up;
    cycles += other.cycles;
    no_choice += other.no_choice;
    with_choice += other.with_choice;
    possible_choice_graphs += other.possible_choice_graphs;
    explored_choice_graphs += other.explored_choice_graphs;
    return *this;
  }

  uint64_t infeasible() const { return possible - feasible - gave_up; }
  double graphs_per_witness() const {
    const auto graphs = static_cast<double>(possible - with_choice + explored_choice_graphs);
    return possible == 0 ? 0 : graphs / static_cast<double>(possible);
  }
};

class WitnessGraph {
 public:
  enum class Detail : uint8_t { verdicts, choices };

  explicit WitnessGraph(const judge::TraceFacts& facts, Detail detail = Detail::verdicts);

  // Witnesses of one read and order that have one fate: a thread's challengers, or the initial
  // write alone (kNoPosition).
  struct Decided {
    WitnessOrder order;
    std::span<const judge::Position> challengers;
    WitnessFate fate;
  };
  // Of all witnesses of a read, or of the final read of a location, those that are not infeasible;
  // with Detail::choices those without a cycle in G'. Valid until the next call.
  std::span<const Decided> decide_read(judge::Position read);
  std::span<const Decided> decide_final(LocationId location);

  const WitnessCounts& counts() const { return counts_; }

  // Of the search among all choice graphs of a witness; work is edges followed.
  static constexpr uint64_t kMostChoiceGraphs = 1 << 12;
  static constexpr uint64_t kMostWork = 1 << 22;

 private:
  using Edge = OrderGraph::Edge;
  using Steps = OrderGraph::Steps;
  using Writes = std::span<const judge::Position>;
  using Run = WritesByThread::Run;

  // The triplets being decided, but for the challengers, and the graph of their order.
  struct Question {
    judge::Position read;    // kNoPosition: the final read
    judge::Position writer;  // kNoPosition: the initial write
    WitnessOrder order;
    OrderGraph* graph;
  };

  void decide_challengers_last(LocationId location, judge::Position read, judge::Position writer);
  void decide_reads_first(judge::Position read, judge::Position writer);
  void decide_without_writer(judge::Position read, judge::Position writer);

  void accept(const Question& asked, Writes challengers);
  void decide_each(const Question& asked, Writes challengers);
  enum class Easier : uint8_t { first, last };
  void decide_by_halves(const Question& asked, Writes challengers, Easier easier);
  void note(const Question& asked, Writes challengers, WitnessFate fate);
  WitnessFate decide_one(const Question& asked, judge::Position challenger);

  // Whether a lock held from the writer to the read keeps out all writes of the run, or one.
  bool keeps_out(const Run& run);
  bool keeps_out(judge::Position challenger) const;
  void find_held_throughout(judge::Position read, judge::Position writer);

  bool needs(judge::Position later, judge::Position earlier) const {
    return facts_.needs.at(later, facts_.thread_index(earlier)) > facts_.step[earlier] ||
           later == earlier;
  }
  bool needs_before_read(judge::Position read, judge::Position writer) const {
    const uint32_t step = facts_.step[read];
    return step > 0 && needs(facts_.events_of[facts_.thread_index(read)][step - 1], writer);
  }
  bool is_in(const Steps& reached, judge::Position p) const {
    return facts_.step[p] >= reached[facts_.thread_index(p)];
  }
  OrderGraph& prepare(judge::Position read, judge::Position writer);
  bool prepare_without_writer(judge::Position read);
  WitnessFate decide_in(OrderGraph& graph, std::span<const Edge> order);
  WitnessFate explore_choices(OrderGraph& graph, std::span<const Edge> order);
  struct Search {
    uint64_t explored = 0, work = 0;
    bool is_over() const { return explored >= kMostChoiceGraphs || work >= kMostWork; }
  };
  static bool choose(OrderGraph& graph, std::span<const ChoicePair> pairs, Search& search);

  const judge::TraceFacts& facts_;
  const Detail detail_;
  const GraphParts parts_;
  const WritesByThread writes_;
  std::vector<uint32_t> whole_;  // by thread: all its events
  OrderGraph whole_graph_;       // with all read-couples
  OrderGraph without_couple_;
  OrderGraph without_writer_;
  WithoutWriter cut_;
  ChoiceFinder choices_;
  ScopeReach reach_;
  WitnessCounts counts_;
  std::vector<Decided> decided_;

  // By run: the locks that are held, not shared, at each of its writes; unknown until asked for.
  std::vector<std::optional<std::vector<LockId>>> held_at_;
  std::vector<LockId> held_throughout_;  // by the thread of the writer and the read, between them

  // Reused.
  Steps before_writer_, after_read_, after_writer_;
  std::vector<Edge> order_;
};

}  // namespace foretell::analysis

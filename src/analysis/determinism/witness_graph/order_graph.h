// SPDX-License-Identifier: Apache-2.0

// OrderGraph: the graphs G and G' of NONDET, section III.A, with reachability by vector clocks.
//
// Vertices are the events of a trace. Edges are program order; sync edges (fork, join, wait and
// notify, and what else an event waits for by itself); read-couples but for one that may be left
// out; and the edges that these induce: if the first event of one locked scope reaches the last of
// another of the same lock, then the last of the first precedes the first of the second. A scope
// here is its acquire, its release and what is between them; of two shared ones neither has to
// wait. A scope that is never left comes after all others of its lock.
//
// All of these go forward in the recorded run, so one pass computes the clocks, and goes back to
// the beginning of a scope that turns out to be induced to wait. The edges of a witness, and those
// they induce, may go backward. They are added one at a time on top of the clocks, and taken off
// again: what reaches what is then found by following the few added edges.
//
// A graph without the couple (w, r) is derived from the whole one. An edge from the end of a scope
// A to the beginning of a scope B may have been induced by that couple, or by others so induced,
// only if A is before w and B after r, scopes that reach across w or r counted as whole. These
// edges are taken away, clocks are computed again from there on until they are the old ones, and
// scopes whose clocks have changed are looked at again. Where threads talk to each other often that
// is soon over.
//
// The graph may be cut to a prefix of every thread, for witnesses in which a write does not occur.
// A scope whose release is cut off is one that is never left. What was induced by something that is
// cut off is taken away like what was induced by the couple.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/determinism/witness_graph/graph_parts.h"
#include "judge/trace_facts.h"

namespace foretell::analysis {

class OrderGraph {
 public:
  using Edge = std::pair<judge::Position, judge::Position>;
  using Steps = std::vector<uint32_t>;  // by thread

  explicit OrderGraph(const GraphParts& parts);

  // The graph with all read-couples and events.
  void build();
  // `whole` without the read-couple of `read`, cut to `limits` events of each thread. False if it
  // has a cycle, which only a cut can bring about. Always called with the same `whole`.
  bool derive(const OrderGraph& whole, judge::Position read, std::span<const uint32_t> limits);

  // Adds an edge and what it induces. False if there is a cycle then.
  bool add(judge::Position from, judge::Position to);
  // Adds an edge that closes no cycle and shall induce nothing.
  void add_plain(judge::Position from, judge::Position to) { added_.emplace_back(from, to); }
  size_t added() const { return added_.size(); }
  std::span<const Edge> added_edges() const { return added_; }
  void take_back_to(size_t added) { added_.resize(added); }

  bool reaches(judge::Position a, judge::Position b) const;
  // Whether the graph stays acyclic with these edges, which go forward in the recorded run.
  bool is_acyclic_with(std::vector<Edge> forward) const;
  // How many first events of each thread reach `p`, itself included; of each thread, the first
  // event that `p` reaches.
  void before(judge::Position p, Steps& steps) const;
  void after(judge::Position p, Steps& steps) const;
  bool is_cut(judge::Position p) const { return facts_.step[p] >= limits_[facts_.thread_index(p)]; }
  bool is_left(const Scope& scope) const {
    return scope.release != judge::kNoPosition && !is_cut(scope.release);
  }
  bool is_there(const Scope& scope) const { return !is_cut(scope.acquire); }
  // One more than the step of its last event.
  uint32_t end_of(const Scope& scope) const {
    return is_left(scope) ? facts_.step[scope.release] + 1
                          : limits_[facts_.thread_index(scope.acquire)];
  }
  std::span<const uint32_t> limits() const { return limits_; }

 private:
  uint32_t* clock(judge::Position p) { return clocks_.data() + size_t{p} * threads_; }
  const uint32_t* clock(judge::Position p) const { return clocks_.data() + size_t{p} * threads_; }
  bool reaches_without_added(judge::Position a, judge::Position b) const {
    return clock(b)[facts_.thread_index(a)] > facts_.step[a];
  }
  // How many first events of a thread `p` does not reach, by clocks alone.
  uint32_t steps_until_after(judge::Position p, size_t thread) const;
  bool compute_clock(judge::Position p);
  judge::Position last_of(const Scope& scope) const;
  void induce_before(const ScopeList& list, const Scope& second);
  bool order_unleft_scopes();
  bool induce(judge::Position from, judge::Position to);

  void take_back_derivation(const OrderGraph& whole);
  struct Suspects;
  void remove_suspects(const OrderGraph& whole, judge::Position read);
  void suspect_what_is_cut(const OrderGraph& whole, Suspects& suspects) const;
  void remove_edges_between(const OrderGraph& whole, const Suspects& suspects);
  void compute_from_seeds(judge::Position until);
  void plant(judge::Position p) {
    seeds_.push_back(p);
    std::ranges::push_heap(seeds_, std::greater());
  }
  void induce_around_changes();

  const GraphParts& parts_;
  const judge::TraceFacts& facts_;
  const size_t threads_;
  Steps limits_;
  judge::Position without_ = judge::kNoPosition;  // the read whose couple is left out
  std::vector<uint32_t> clocks_;                  // by event, then thread
  std::vector<std::vector<judge::Position>>
      induced_;  // by event: releases that precede this acquire
  std::vector<std::vector<judge::Position>>
      waiting_;  // by event: acquires that it preceded so at some time
  // Of the whole graph only: all of them in trace order, and of each block of them the first
  // release.
  static constexpr size_t kBlock = 64;
  std::vector<Edge> induced_edges_;
  std::vector<judge::Position> first_release_;
  std::vector<std::vector<judge::Position>> waiters_;  // by thread: their acquires
  std::vector<Edge> added_;
  std::vector<Edge> work_;

  // Of a derivation: what is different from the whole graph, and has to be looked at.
  std::vector<judge::Position> seeds_;    // whose clocks have to be computed; a heap, first on top
  std::vector<judge::Position> changed_;  // whose clocks were; some more than once
  std::vector<judge::Position> changed_induced_;  // acquires
  struct Range {
    uint32_t first = ~uint32_t{0}, last = 0;
  };
  std::vector<Range> changed_steps_;  // by thread, in the last round
  mutable Steps scratch_;
};

}  // namespace foretell::analysis

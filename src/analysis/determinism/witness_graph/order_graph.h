// OrderGraph: the graphs G and G' of NONDET, section III.A, with reachability by vector clocks.
//
// Vertices are the events of a trace. Edges are program order; sync edges (fork, join, wait and
// notify, and what else an event waits for by itself); read-couples but for one that may be left
// out; and the edges that these induce: if the first event of one locked scope reaches the last of
// another of the same lock, then the last of the first precedes the first of the second. A scope
// here is its acquire, its release and what is between them; of two shared ones neither has to
// wait. A scope that is never left comes after all others of its lock.
//
// All of these go forward in the recorded run, so one pass computes the clocks, and another for
// each time that a scope turns out to be induced to wait. The edges of a witness, and those they
// induce, may go backward. They are added one at a time on top of the clocks, and taken off again:
// what reaches what is then found by following the few added edges.
//
// The graph may be cut to a prefix of every thread, for witnesses in which a write does not occur.
// A scope whose release is cut off is one that is never left.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "order/trace_facts.h"

namespace foretell {

struct Scope {
  Position acquire = kNoPosition;
  Position release = kNoPosition;  // none: never left
};

// The locked scopes of one lock and thread, in program order.
struct ScopeList {
  LockId lock{};
  uint32_t thread = 0;
  std::vector<Scope> scopes;     // all
  std::vector<Scope> exclusive;  // without shared ones
};

// What no graph of a trace differs in: locked scopes, and the edges but for those of locks.
class GraphParts {
 public:
  explicit GraphParts(const TraceFacts& facts);

  const TraceFacts& facts;
  std::vector<ScopeList> lists;                 // by lock, then thread
  std::vector<std::vector<uint32_t>> lists_of;  // by lock: in lists
  std::span<const Position> sync_before(Position p) const {
    return std::span(sync_).subspan(first_sync_[p], first_sync_[p + 1] - first_sync_[p]);
  }

 private:
  std::vector<uint32_t> first_sync_;
  std::vector<Position> sync_;
};

class OrderGraph {
 public:
  using Edge = std::pair<Position, Position>;
  using Steps = std::vector<uint32_t>;  // by thread

  explicit OrderGraph(const GraphParts& parts);

  // The graph without the read-couple of `without` (none: with all of them), cut to `limits` events
  // of each thread. False if it has a cycle, which only a cut can bring about.
  bool build(Position without, std::span<const uint32_t> limits);

  // Adds an edge and what it induces. False if there is a cycle then.
  bool add(Position from, Position to);
  // Adds an edge that closes no cycle and shall induce nothing.
  void add_plain(Position from, Position to) { added_.emplace_back(from, to); }
  size_t added() const { return added_.size(); }
  void take_back_to(size_t added) { added_.resize(added); }

  bool reaches(Position a, Position b) const;
  // How many first events of each thread reach `p`, itself included; of each thread, the first
  // event that `p` reaches.
  void before(Position p, Steps& steps) const;
  void after(Position p, Steps& steps) const;
  bool is_cut(Position p) const { return facts_.step[p] >= limits_[facts_.thread_index(p)]; }
  bool is_left(const Scope& scope) const {
    return scope.release != kNoPosition && !is_cut(scope.release);
  }
  const GraphParts& parts() const { return parts_; }
  std::span<const uint32_t> limits() const { return limits_; }

 private:
  uint32_t* clock(Position p) { return clocks_.data() + size_t{p} * threads_; }
  const uint32_t* clock(Position p) const { return clocks_.data() + size_t{p} * threads_; }
  bool reaches_without_added(Position a, Position b) const {
    return clock(b)[facts_.thread_index(a)] > facts_.step[a];
  }
  Position first_after(Position p, size_t thread) const;
  void compute_clocks(Position without);
  bool induce_forward();
  bool order_unleft_scopes();
  bool induce(Position from, Position to);

  const GraphParts& parts_;
  const TraceFacts& facts_;
  const size_t threads_;
  Steps limits_;
  std::vector<uint32_t> clocks_;                // by event, then thread
  std::vector<std::vector<Position>> induced_;  // by event: releases that precede this acquire
  std::vector<Position> has_induced_;
  std::vector<Edge> added_;
  std::vector<Edge> work_;
};

}  // namespace foretell

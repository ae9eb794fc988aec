// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/witness_graph/choices.h"

#include <algorithm>
#include <array>

namespace foretell::analysis {

ChoiceFinder::ChoiceFinder(const GraphParts& parts)
    : parts_(parts), facts_(parts.facts), slot_(facts_.size()), reach_(parts) {
  uint32_t rows = 0;
  for (const ScopeList& list : parts.lists) {
    for (const Scope& s : list.scopes) {
      if (s.release != judge::kNoPosition) slot_[s.release] = rows++;
    }
  }
  before_.resize(size_t{rows} * facts_.thread_count());
  known_.resize(rows);
}

const uint32_t* ChoiceFinder::before_release(const Scope& s) {
  const uint32_t row = slot_[s.release];
  uint32_t* steps = before_.data() + size_t{row} * facts_.thread_count();
  if (known_[row] != witness_) {
    known_[row] = witness_;
    graph_->before(s.release, scratch_);
    std::ranges::copy(scratch_, steps);
  }
  return steps;
}

ChoiceFinder::Scopes::const_iterator ChoiceFinder::first_from(const Scopes& scopes,
                                                              uint32_t at) const {
  return std::ranges::lower_bound(scopes, at, {}, [&](const Scope& s) { return step(s.acquire); });
}

void ChoiceFinder::find_reached(judge::Position x, Steps& reached) {
  reached.assign(facts_.thread_count(), ScopeReach::kNothing);
  reach_.reach(reached, facts_.thread_index(x), step(x));
  reach_.close_after(*graph_, reached, [&](size_t t) {
    for (uint32_t i : parts_.lists_by[t]) {
      const ScopeList& mine = parts_.lists[i];
      for (uint32_t j : parts_.lists_of[to_index(mine.lock)]) {
        if (i == j) continue;
        const ScopeList& other = parts_.lists[j];
        cross_forward(mine.exclusive, t, other.scopes, other.thread, reached);
        if (mine.is_exclusive() && other.is_exclusive()) continue;
        cross_forward(mine.scopes, t, other.exclusive, other.thread, reached);
      }
    }
  });
}

bool ChoiceFinder::can_be_postponed(const OrderGraph& graph) {
  late_.assign(facts_.thread_count(), ScopeReach::kNothing);
  for (const auto& [from, to] : graph.added_edges()) {
    if (from > to) reach_.reach(late_, facts_.thread_index(to), step(to));
  }
  reach_.close_after(graph, late_, [](size_t) {});
  // What is late comes after everything else, each in the order of the recorded run, and no scope
  // is partly late.
  return std::ranges::all_of(graph.added_edges(), [&](const OrderGraph::Edge& edge) {
    return edge.first < edge.second || step(edge.first) < late_[facts_.thread_index(edge.first)];
  });
}

void ChoiceFinder::find_reaching(judge::Position y, Steps& reaching) {
  reaching.assign(facts_.thread_count(), 0);
  reach_.be_reached_by(reaching, facts_.thread_index(y), step(y) + 1);
  reach_.close_before(*graph_, reaching, [&](size_t t) {
    for (uint32_t i : parts_.lists_by[t]) {
      const ScopeList& mine = parts_.lists[i];
      for (uint32_t j : parts_.lists_of[to_index(mine.lock)]) {
        if (i == j) continue;
        const ScopeList& other = parts_.lists[j];
        cross_backward(mine.exclusive, t, other.scopes, other.thread, reaching);
        if (mine.is_exclusive() && other.is_exclusive()) continue;
        cross_backward(mine.scopes, t, other.exclusive, other.thread, reaching);
      }
    }
  });
}

void ChoiceFinder::cross_forward(const Scopes& mine, size_t my_thread, const Scopes& other,
                                 size_t other_thread, Steps& reached) {
  const auto first = first_from(mine, reached[my_thread]);
  if (first == mine.end() || !graph_->is_there(*first) || !graph_->is_left(*first)) return;
  const auto partner = first_from(other, before_release(*first)[other_thread]);
  // A scope that is never left has its place behind the others.
  if (partner == other.end() || !graph_->is_there(*partner) || !graph_->is_left(*partner)) return;
  reach_.reach(reached, other_thread, step(partner->acquire));
}

void ChoiceFinder::cross_backward(const Scopes& mine, size_t my_thread, const Scopes& other,
                                  size_t other_thread, Steps& reaching) {
  const auto beyond = first_from(mine, reaching[my_thread]);
  if (beyond == mine.begin() || !graph_->is_left(*std::prev(beyond))) return;
  const uint32_t acquire = step(std::prev(beyond)->acquire);
  // The last one that the acquire does not reach into.
  const auto end = std::partition_point(other.begin(), other.end(), [&](const Scope& s) {
    return graph_->is_there(s) && graph_->is_left(s) && before_release(s)[my_thread] <= acquire;
  });
  if (end != other.begin())
    reach_.be_reached_by(reaching, other_thread, graph_->end_of(*std::prev(end)));
}

void ChoiceFinder::add_neighbors(const Scope& scope, Scopes::const_iterator begin,
                                 Scopes::const_iterator end) {
  if (begin >= end) return;
  found_.push_back({scope, begin, end});
  pairs_ += static_cast<uint64_t>(end - begin);
}

// The exclusive scopes of `mine` with all of `other`, or the shared ones with the exclusive ones.
// A pair is on a path if the first is reached and the second reaches, or the other way round: of
// the scopes of the other thread, those up to some point and those from some point on.
void ChoiceFinder::find_neighbors(const ScopeList& mine, const ScopeList& other, bool exclusive) {
  const Scopes& scopes = exclusive ? other.scopes : other.exclusive;
  const size_t i = mine.thread, j = other.thread;
  auto from = scopes.begin(), beyond = scopes.begin();  // neither before nor after the scope
  auto is_usable = [&](const Scope& s) { return graph_->is_there(s) && graph_->is_left(s); };
  const auto end = std::ranges::partition_point(scopes, is_usable);
  struct Bounds {
    Scopes::const_iterator reaching, reached;
  };
  std::array<Bounds, 2> bounds;
  for (size_t k = 0; k < reaches_.size(); ++k) {
    bounds[k].reaching = std::partition_point(scopes.begin(), end, [&](const Scope& s) {
      return graph_->end_of(s) <= reaches_[k].reaching[j];
    });
    bounds[k].reached = std::min(first_from(scopes, reaches_[k].reached[j]), end);
  }
  for (const Scope& a : mine.scopes) {
    if (!is_usable(a) || pairs_ > enough_) break;
    if (begins_exclusive(facts_.event(a.acquire).kind) != exclusive) continue;
    auto until = scopes.begin(), since = end;
    for (size_t k = 0; k < reaches_.size(); ++k) {
      if (step(a.acquire) >= reaches_[k].reached[i]) until = std::max(until, bounds[k].reaching);
      if (graph_->end_of(a) <= reaches_[k].reaching[i]) since = std::min(since, bounds[k].reached);
    }
    if (until == scopes.begin() && since == end) continue;
    const uint32_t before = before_release(a)[j];
    while (from != end && step(from->acquire) < before) ++from;
    beyond = std::max(beyond, from);
    while (beyond != end && before_release(*beyond)[i] <= step(a.acquire)) ++beyond;
    if (until >= since) {
      add_neighbors(a, from, beyond);
    } else {
      add_neighbors(a, from, std::min(beyond, until));
      add_neighbors(a, std::max(from, since), beyond);
    }
  }
}

uint64_t ChoiceFinder::find(const OrderGraph& graph, std::span<const OrderGraph::Edge> order,
                            uint64_t enough) {
  graph_ = &graph;
  enough_ = enough;
  ++witness_;
  found_.clear();
  pairs_ = 0;
  reaches_.resize(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    find_reached(order[k].second, reaches_[k].reached);
    find_reaching(order[k].first, reaches_[k].reaching);
  }
  auto can_meet = [&](size_t i, size_t j) {
    return std::ranges::any_of(reaches_, [&](const Reach& one) {
      return one.reached[i] != ScopeReach::kNothing && one.reaching[j] > 0;
    });
  };
  for (const auto& of_lock : parts_.lists_of) {
    for (uint32_t i : of_lock) {
      const ScopeList& mine = parts_.lists[i];
      for (uint32_t j : of_lock) {
        const ScopeList& other = parts_.lists[j];
        if (i >= j ||
            (!can_meet(mine.thread, other.thread) && !can_meet(other.thread, mine.thread)))
          continue;
        find_neighbors(mine, other, true);
        if (mine.exclusive.size() < mine.scopes.size()) find_neighbors(mine, other, false);
        if (pairs_ > enough_) return pairs_;
      }
    }
  }
  return pairs_;
}

std::vector<OrderGraph::Edge> ChoiceFinder::recorded_choices() const {
  std::vector<OrderGraph::Edge> edges;
  for (const auto& [scope, begin, end] : found_) {
    const auto later =
        std::partition_point(begin, end, [&](const Scope& s) { return s.acquire < scope.acquire; });
    if (later != begin) edges.emplace_back(std::prev(later)->release, scope.acquire);
    if (later != end) edges.emplace_back(scope.release, later->acquire);
  }
  return edges;
}

std::vector<ChoicePair> ChoiceFinder::pairs() const {
  std::vector<ChoicePair> pairs;
  for (const auto& [scope, begin, end] : found_) {
    for (auto it = begin; it != end; ++it) {
      const Scope& first = scope.acquire < it->acquire ? scope : *it;
      const Scope& second = scope.acquire < it->acquire ? *it : scope;
      pairs.push_back({{first.release, second.acquire}, {second.release, first.acquire}});
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace foretell::analysis

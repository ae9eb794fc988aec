// SPDX-License-Identifier: Apache-2.0

// A graph without one read-couple, or cut to a prefix, derived from the whole one (order_graph.h).
#include <algorithm>
#include <functional>

#include "analysis/determinism/witness_graph/order_graph.h"

namespace foretell::analysis {

void OrderGraph::take_back_derivation(const OrderGraph& whole) {
  if (clocks_.empty()) {
    clocks_ = whole.clocks_;
    induced_ = whole.induced_;
    waiting_ = whole.waiting_;
    changed_steps_.resize(threads_);
  }
  for (judge::Position p : changed_) std::copy_n(whole.clock(p), threads_, clock(p));
  for (judge::Position p : changed_induced_) induced_[p] = whole.induced_[p];
  changed_.clear();
  changed_induced_.clear();
  added_.clear();
  seeds_.clear();
}

// The sets of the definition: events before w by their number in each thread, those after r by the
// first one.
struct OrderGraph::Suspects {
  const OrderGraph& whole;
  Steps before = Steps(whole.threads_), after = Steps(whole.threads_, ~uint32_t{0});

  void add_before(judge::Position p) {
    const uint32_t* theirs = whole.clock(p);
    for (size_t t = 0; t < before.size(); ++t) before[t] = std::max(before[t], theirs[t]);
  }
  void add_after(judge::Position p) {
    for (size_t t = 0; t < after.size(); ++t) {
      const uint32_t first = whole.steps_until_after(p, t);
      if (first < whole.facts_.events_of[t].size()) after[t] = std::min(after[t], first);
    }
  }
  bool is_before(judge::Position p) const {
    return whole.facts_.step[p] < before[whole.facts_.thread_index(p)];
  }
  bool is_after(judge::Position p) const {
    return whole.facts_.step[p] >= after[whole.facts_.thread_index(p)];
  }

  // Counts scopes as whole that reach across the end of `before` or the beginning of `after`.
  void complete_scopes();
};

void OrderGraph::Suspects::complete_scopes() {
  auto acquire_step = [&](const Scope& s) { return whole.facts_.step[s.acquire]; };
  for (bool grown = true; grown;) {
    grown = false;
    for (const ScopeList& list : whole.parts_.lists) {
      const auto beyond =
          std::ranges::lower_bound(list.scopes, before[list.thread], {}, acquire_step);
      if (beyond != list.scopes.begin()) {
        const judge::Position release = std::prev(beyond)->release;
        if (release != judge::kNoPosition && !is_before(release)) {
          add_before(release);
          grown = true;
        }
      }
      const auto across =
          std::ranges::lower_bound(list.scopes, after[list.thread], {}, acquire_step);
      if (across == list.scopes.begin() || after[list.thread] == ~uint32_t{0}) continue;
      const Scope& scope = *std::prev(across);
      if (scope.release == judge::kNoPosition || is_after(scope.release)) {
        add_after(scope.acquire);
        grown = true;
      }
    }
  }
}

// Adds what was induced by an event that is cut off, or by a scope that reaches up to the cut, which
// has no end now.
void OrderGraph::suspect_what_is_cut(const OrderGraph& whole, Suspects& suspects) const {
  auto suspect = [&](judge::Position acquire) {
    const judge::Position end = facts_.match[acquire];
    for (judge::Position release : whole.induced_[acquire]) {
      if (!is_cut(release) && (end == judge::kNoPosition || !is_cut(end))) continue;
      suspects.add_before(release);
      suspects.add_after(acquire);
    }
  };
  for (size_t t = 0; t < threads_; ++t) {
    // Events from here on follow from something that is cut off, or are cut off themselves.
    const std::vector<judge::Position>& events = facts_.events_of[t];
    const auto first = std::ranges::partition_point(events, [&](judge::Position p) {
      const uint32_t* reached = whole.clock(p);
      for (size_t u = 0; u < threads_; ++u) {
        if (reached[u] > limits_[u]) return false;
      }
      return true;
    });
    const auto end = events.begin() + limits_[t];
    if (first < end) {
      for (const judge::Position acquire : std::ranges::subrange(
               std::ranges::lower_bound(whole.waiters_[t], *first),
               limits_[t] < events.size() ? std::ranges::lower_bound(whole.waiters_[t], *end)
                                          : whole.waiters_[t].end())) {
        suspect(acquire);
      }
    }
    for (uint32_t i : parts_.lists_by[t]) {
      const std::vector<Scope>& scopes = parts_.lists[i].scopes;
      const auto beyond = std::ranges::lower_bound(
          scopes, limits_[t], {}, [&](const Scope& s) { return facts_.step[s.acquire]; });
      if (beyond != scopes.begin()) suspect(std::prev(beyond)->acquire);
    }
  }
}

void OrderGraph::remove_edges_between(const OrderGraph& whole, const Suspects& suspects) {
  judge::Position earliest = judge::kNoPosition, latest = 0;
  for (size_t t = 0; t < threads_; ++t) {
    const std::vector<judge::Position>& events = facts_.events_of[t];
    const uint32_t before = suspects.before[t], after = suspects.after[t];
    if (after < events.size()) earliest = std::min(earliest, events[after]);
    if (before > 0) latest = std::max(latest, events[before - 1]);
  }
  const auto first = std::ranges::lower_bound(whole.induced_edges_, earliest, {}, &Edge::second);
  size_t i = static_cast<size_t>(first - whole.induced_edges_.begin());
  while (i < whole.induced_edges_.size()) {
    if (whole.first_release_[i / kBlock] > latest) {
      i = (i / kBlock + 1) * kBlock;
      continue;
    }
    const auto& [release, acquire] = whole.induced_edges_[i++];
    if (!suspects.is_before(release) || !suspects.is_after(acquire) || is_cut(acquire)) continue;
    std::erase(induced_[acquire], release);
    changed_induced_.push_back(acquire);
    plant(acquire);
  }
}

void OrderGraph::remove_suspects(const OrderGraph& whole, judge::Position read) {
  Suspects suspects{whole};
  suspects.add_before(facts_.partner[read]);
  suspects.add_after(read);
  if (limits_ != whole.limits_) suspect_what_is_cut(whole, suspects);
  suspects.complete_scopes();
  remove_edges_between(whole, suspects);
  plant(read);
}

// In the order of the trace, in which all edges here go forward: what a changed clock leads to
// comes later.
void OrderGraph::compute_from_seeds(judge::Position until) {
  std::ranges::fill(changed_steps_, Range{});
  judge::Position last = judge::kNoPosition;
  while (!seeds_.empty()) {
    std::ranges::pop_heap(seeds_, std::greater());
    const judge::Position p = seeds_.back();
    seeds_.pop_back();
    if (p == last || p > until || is_cut(p)) continue;
    last = p;
    if (!compute_clock(p)) continue;
    changed_.push_back(p);
    const size_t thread = facts_.thread_index(p);
    const uint32_t step = facts_.step[p];
    Range& range = changed_steps_[thread];
    range.first = std::min(range.first, step);
    range.last = std::max(range.last, step);
    const std::vector<judge::Position>& mine = facts_.events_of[thread];
    if (step + 1 < mine.size()) plant(mine[step + 1]);
    for (judge::Position q : parts_.uses(p)) plant(q);
    for (judge::Position q : waiting_[p]) plant(q);
  }
}

void OrderGraph::induce_around_changes() {
  for (const ScopeList& list : parts_.lists) {
    const Range& range = changed_steps_[list.thread];
    if (range.first == ~uint32_t{0}) continue;
    auto scope = std::ranges::lower_bound(list.scopes, range.first, {},
                                          [&](const Scope& s) { return facts_.step[s.acquire]; });
    if (scope != list.scopes.begin()) --scope;
    for (; scope != list.scopes.end() && facts_.step[scope->acquire] <= range.last; ++scope) {
      if (is_cut(scope->acquire)) break;
      induce_before(list, *scope);
    }
  }
}

bool OrderGraph::derive(const OrderGraph& whole, judge::Position read,
                        std::span<const uint32_t> limits) {
  take_back_derivation(whole);
  limits_.assign(limits.begin(), limits.end());
  without_ = read;
  remove_suspects(whole, read);
  while (!seeds_.empty()) {
    compute_from_seeds(judge::kNoPosition);
    induce_around_changes();
  }
  return order_unleft_scopes();
}

}  // namespace foretell::analysis

// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/witness_graph/order_graph.h"

#include <algorithm>

namespace foretell::analysis {

OrderGraph::OrderGraph(const GraphParts& parts)
    : parts_(parts),
      facts_(parts.facts),
      threads_(facts_.thread_count()),
      induced_(facts_.size()),
      waiting_(facts_.size()) {
  for (const auto& events : facts_.events_of) {
    limits_.push_back(static_cast<uint32_t>(events.size()));
  }
}

// Whether it is not the one it was.
bool OrderGraph::compute_clock(judge::Position p) {
  const size_t thread = facts_.thread_index(p);
  const uint32_t step = facts_.step[p];
  scratch_.resize(threads_);
  uint32_t* mine = scratch_.data();
  if (step > 0) {
    std::copy_n(clock(facts_.events_of[thread][step - 1]), threads_, mine);
  } else {
    std::fill_n(mine, threads_, 0);
  }
  auto join = [&](judge::Position q) {
    const uint32_t* theirs = clock(q);
    for (size_t t = 0; t < threads_; ++t) mine[t] = std::max(mine[t], theirs[t]);
  };
  for (judge::Position q : parts_.sync_before(p)) join(q);
  if (is_read(facts_.event(p).kind) && p != without_) {
    const judge::Position writer = facts_.partner[p];
    if (writer != judge::kNoPosition && writer != judge::kUnknownWriter) join(writer);
  }
  for (judge::Position q : induced_[p]) join(q);
  mine[thread] = step + 1;
  uint32_t* stored = clock(p);
  if (std::equal(mine, mine + threads_, stored)) return false;
  std::copy_n(mine, threads_, stored);
  return true;
}

judge::Position OrderGraph::last_of(const Scope& scope) const {
  if (is_left(scope)) return scope.release;
  const size_t thread = facts_.thread_index(scope.acquire);
  return facts_.events_of[thread][limits_[thread] - 1];
}

// The last scope of each thread that reaches into this one precedes it. The acquires that have to
// wait for something new are seeds.
void OrderGraph::induce_before(const ScopeList& list, const Scope& second) {
  const uint32_t* reached = clock(last_of(second));
  const bool exclusive = begins_exclusive(facts_.event(second.acquire).kind);
  for (uint32_t j : parts_.lists_of[to_index(list.lock)]) {
    const ScopeList& other = parts_.lists[j];
    if (other.thread == list.thread || reached[other.thread] == 0) continue;
    const std::vector<Scope>& firsts = exclusive ? other.scopes : other.exclusive;
    const auto beyond = std::ranges::lower_bound(
        firsts, reached[other.thread], {}, [&](const Scope& s) { return facts_.step[s.acquire]; });
    if (beyond == firsts.begin()) continue;
    const Scope& first = *std::prev(beyond);
    if (!is_left(first) || reaches_without_added(first.release, second.acquire)) continue;
    induced_[second.acquire].push_back(first.release);
    std::vector<judge::Position>& waiting = waiting_[first.release];
    if (std::ranges::find(waiting, second.acquire) == waiting.end()) {
      waiting.push_back(second.acquire);
    }
    changed_induced_.push_back(second.acquire);
    plant(second.acquire);
  }
}

// In the order of the trace these edges go forward, unless the cut leaves a scope open.
bool OrderGraph::order_unleft_scopes() {
  for (const auto& of_lock : parts_.lists_of) {
    for (uint32_t i : of_lock) {
      const ScopeList& list = parts_.lists[i];
      if (limits_[list.thread] == 0) continue;
      const auto beyond =
          std::ranges::lower_bound(list.scopes, limits_[list.thread], {},
                                   [&](const Scope& s) { return facts_.step[s.acquire]; });
      if (beyond == list.scopes.begin() || is_left(*std::prev(beyond))) continue;
      const Scope& open = *std::prev(beyond);
      const bool exclusive = begins_exclusive(facts_.event(open.acquire).kind);
      for (uint32_t j : of_lock) {
        if (i == j) continue;
        const ScopeList& other = parts_.lists[j];
        const std::vector<Scope>& scopes = exclusive ? other.scopes : other.exclusive;
        const auto end =
            std::ranges::lower_bound(scopes, limits_[other.thread], {},
                                     [&](const Scope& s) { return facts_.step[s.acquire]; });
        if (end == scopes.begin()) continue;
        const Scope& last = *std::prev(end);
        if (!is_left(last)) return false;  // neither can come first
        if (!add(last.release, open.acquire)) return false;
      }
    }
  }
  return true;
}

void OrderGraph::build() {
  clocks_.assign(facts_.size() * threads_, 0);
  changed_steps_.resize(threads_);
  // The end of a scope is where it is known what reaches into it; then what has happened since its
  // beginning is computed again, so that all scopes that have ended are right at any time.
  std::vector<std::pair<const ScopeList*, const Scope*>> ends_with(facts_.size());
  for (const ScopeList& list : parts_.lists) {
    for (const Scope& scope : list.scopes) {
      if (scope.release != judge::kNoPosition) ends_with[scope.release] = {&list, &scope};
    }
  }
  auto settle = [&](judge::Position until) {
    while (!seeds_.empty()) {
      compute_from_seeds(until);
      induce_around_changes();
    }
    changed_.clear();
  };
  for (judge::Position p = 0; p < facts_.size(); ++p) {
    compute_clock(p);
    const auto& [list, scope] = ends_with[p];
    if (scope == nullptr) continue;
    induce_before(*list, *scope);
    settle(p);
  }
  for (const ScopeList& list : parts_.lists) {
    if (!list.scopes.empty() && !is_left(list.scopes.back())) {
      induce_before(list, list.scopes.back());
    }
  }
  settle(judge::kNoPosition);
  changed_induced_.clear();
  waiters_.resize(threads_);
  for (judge::Position p = 0; p < facts_.size(); ++p) {
    if (!induced_[p].empty()) waiters_[facts_.thread_index(p)].push_back(p);
    for (judge::Position q : induced_[p]) {
      if (induced_edges_.size() % kBlock == 0) first_release_.push_back(q);
      first_release_.back() = std::min(first_release_.back(), q);
      induced_edges_.emplace_back(q, p);
    }
  }
  // A recorded run has no cycle.
  order_unleft_scopes();
}

uint32_t OrderGraph::steps_until_after(judge::Position p, size_t thread) const {
  const std::vector<judge::Position>& events = facts_.events_of[thread];
  const size_t mine = facts_.thread_index(p);
  const uint32_t step = facts_.step[p];
  if (thread == mine) return step;
  const auto end = events.begin() + limits_[thread];
  const auto it = std::partition_point(events.begin(), end,
                                       [&](judge::Position q) { return clock(q)[mine] <= step; });
  return static_cast<uint32_t>(it - events.begin());
}

void OrderGraph::before(judge::Position p, Steps& steps) const {
  steps.assign(clock(p), clock(p) + threads_);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [from, to] : added_) {
      if (facts_.step[to] >= steps[facts_.thread_index(to)]) continue;
      if (facts_.step[from] < steps[facts_.thread_index(from)]) continue;
      const uint32_t* theirs = clock(from);
      for (size_t t = 0; t < threads_; ++t) steps[t] = std::max(steps[t], theirs[t]);
      changed = true;
    }
  }
}

void OrderGraph::after(judge::Position p, Steps& steps) const {
  steps.resize(threads_);
  auto first_of = [&](judge::Position q, size_t t) {
    const uint32_t first = steps_until_after(q, t);
    return first == limits_[t] ? ~uint32_t{0} : first;
  };
  for (size_t t = 0; t < threads_; ++t) steps[t] = first_of(p, t);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [from, to] : added_) {
      if (facts_.step[from] < steps[facts_.thread_index(from)]) continue;
      if (facts_.step[to] >= steps[facts_.thread_index(to)]) continue;
      for (size_t t = 0; t < threads_; ++t) steps[t] = std::min(steps[t], first_of(to, t));
      changed = true;
    }
  }
}

bool OrderGraph::reaches(judge::Position a, judge::Position b) const {
  if (added_.empty() || reaches_without_added(a, b)) return reaches_without_added(a, b);
  before(b, scratch_);
  return scratch_[facts_.thread_index(a)] > facts_.step[a];
}

bool OrderGraph::is_acyclic_with(std::vector<Edge> forward) const {
  std::vector<Edge> backward;
  for (const Edge& edge : added_) (edge.first < edge.second ? forward : backward).push_back(edge);
  std::ranges::sort(forward);
  // Every cycle goes through edges that go backward, and between them only forward: which of them
  // lead to which, and what that leads to.
  const size_t count = backward.size();
  std::vector<bool> leads(count * count);
  Steps reached(threads_);
  for (size_t i = 0; i < count; ++i) {
    auto reach = [&](judge::Position p) {
      for (size_t t = 0; t < threads_; ++t) {
        const uint32_t first = steps_until_after(p, t);
        reached[t] = std::min(reached[t], first == limits_[t] ? ~uint32_t{0} : first);
      }
    };
    auto is_reached = [&](judge::Position p) {
      return facts_.step[p] >= reached[facts_.thread_index(p)];
    };
    std::ranges::fill(reached, ~uint32_t{0});
    reach(backward[i].second);
    for (auto edge = std::ranges::lower_bound(forward, backward[i].second, {}, &Edge::first);
         edge != forward.end(); ++edge) {
      if (is_reached(edge->first) && !is_reached(edge->second)) reach(edge->second);
    }
    for (size_t j = 0; j < count; ++j) leads[i * count + j] = is_reached(backward[j].first);
  }
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < count; ++i) {
      if (!leads[i * count + k]) continue;
      for (size_t j = 0; j < count; ++j) {
        if (leads[k * count + j]) leads[i * count + j] = true;
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (leads[i * count + i]) return false;
  }
  return true;
}

bool OrderGraph::add(judge::Position from, judge::Position to) {
  work_.assign(1, {from, to});
  while (!work_.empty()) {
    const auto [a, b] = work_.back();
    work_.pop_back();
    if (reaches(b, a)) return false;
    if (reaches(a, b)) continue;
    added_.emplace_back(a, b);
    if (!induce(a, b)) return false;
  }
  return true;
}

// Every path that is new goes through the new edge: of all scopes whose acquire it comes from and
// whose release it leads to, the last of the former and the first of the latter imply the others.
bool OrderGraph::induce(judge::Position from, judge::Position to) {
  Steps sources, targets;
  before(from, sources);
  after(to, targets);
  auto acquire_step = [&](const Scope& s) { return facts_.step[s.acquire]; };
  auto last_source = [&](const std::vector<Scope>& scopes, size_t thread) -> const Scope* {
    const auto beyond = std::ranges::lower_bound(scopes, sources[thread], {}, acquire_step);
    return beyond == scopes.begin() ? nullptr : &*std::prev(beyond);
  };
  auto first_target = [&](const std::vector<Scope>& scopes, size_t thread) -> const Scope* {
    // The one before may reach beyond the first event that is led to.
    auto it = std::ranges::lower_bound(scopes, targets[thread], {}, acquire_step);
    if (it != scopes.begin()) {
      const Scope& last = *std::prev(it);
      // A scope that is not left has no last event: its thread ends in it.
      if (!is_left(last) || facts_.step[last.release] >= targets[thread]) --it;
    }
    return it == scopes.end() || is_cut(it->acquire) ? nullptr : &*it;
  };
  auto order = [&](const Scope* first, const Scope* second) {
    if (first == nullptr || second == nullptr) return true;
    if (!is_left(*first)) return false;
    if (!reaches(first->release, second->acquire)) {
      work_.emplace_back(first->release, second->acquire);
    }
    return true;
  };
  for (const auto& of_lock : parts_.lists_of) {
    if (of_lock.size() < 2) continue;
    for (uint32_t i : of_lock) {
      const ScopeList& mine = parts_.lists[i];
      if (sources[mine.thread] == 0) continue;
      const Scope* first = last_source(mine.scopes, mine.thread);
      if (first == nullptr) continue;
      const Scope* first_exclusive =
          mine.is_exclusive() ? first : last_source(mine.exclusive, mine.thread);
      for (uint32_t j : of_lock) {
        const ScopeList& other = parts_.lists[j];
        if (i == j || targets[other.thread] == ~uint32_t{0}) continue;
        const Scope* second = first_target(other.scopes, other.thread);
        if (!order(first_exclusive, second)) return false;
        if (mine.is_exclusive() && other.is_exclusive()) continue;
        if (!order(first, first_target(other.exclusive, other.thread))) return false;
      }
    }
  }
  return true;
}

}  // namespace foretell::analysis

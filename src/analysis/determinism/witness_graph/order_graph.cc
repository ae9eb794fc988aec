// SPDX-License-Identifier: Apache-2.0

#include "analysis/determinism/witness_graph/order_graph.h"

#include <algorithm>

namespace foretell::analysis {

GraphParts::GraphParts(const judge::TraceFacts& trace_facts) : facts(trace_facts) {
  lists_of.resize(facts.lock_count);
  lists_by.resize(facts.thread_count());
  for (size_t lock = 0; lock < facts.lock_count; ++lock) {
    for (uint32_t thread : facts.locks.users(LockId{static_cast<uint32_t>(lock)})) {
      lists_of[lock].push_back(static_cast<uint32_t>(lists.size()));
      lists_by[thread].push_back(static_cast<uint32_t>(lists.size()));
      lists.push_back({LockId{static_cast<uint32_t>(lock)}, thread, {}, {}});
    }
  }
  std::vector<std::pair<judge::Position, judge::Position>> waits;  // notify, wait
  for (judge::Position p = 0; p < facts.size(); ++p) {
    const trace::Event& e = facts.event(p);
    if (e.kind == trace::EventKind::WaitEnd && facts.partner[p] != judge::kNoPosition) {
      waits.emplace_back(facts.partner[p], facts.wait_of(p));
    }
    if (!begins_section(e.kind)) continue;
    for (uint32_t i : lists_of[to_index(e.lock())]) {
      if (lists[i].thread != to_index(e.thread)) continue;
      const Scope scope{p, facts.match[p]};
      lists[i].scopes.push_back(scope);
      if (begins_exclusive(e.kind)) lists[i].exclusive.push_back(scope);
    }
  }
  std::ranges::sort(waits);
  auto wait = waits.begin();
  for (judge::Position p = 0; p < facts.size(); ++p) {
    first_sync_.push_back(static_cast<uint32_t>(sync_.size()));
    const trace::Event& e = facts.event(p);
    facts.for_each_need(p, [&](judge::Position q) {
      const bool couple = is_read(e.kind) && q == facts.partner[p];
      if (!couple) sync_.push_back(q);
    });
    // Who is notified was waiting.
    for (; wait != waits.end() && wait->first == p; ++wait) sync_.push_back(wait->second);
  }
  first_sync_.push_back(static_cast<uint32_t>(sync_.size()));
  find_uses();
}

void GraphParts::find_uses() {
  auto for_each_edge = [&](auto&& visit) {
    for (judge::Position p = 0; p < facts.size(); ++p) {
      for (judge::Position q : sync_before(p)) visit(q, p);
      if (!is_read(facts.event(p).kind)) continue;
      const judge::Position writer = facts.partner[p];
      if (writer != judge::kNoPosition && writer != judge::kUnknownWriter) visit(writer, p);
    }
  };
  first_use_.resize(facts.size() + 1);
  for_each_edge([&](judge::Position from, judge::Position) { ++first_use_[from + 1]; });
  for (size_t p = 0; p < facts.size(); ++p) first_use_[p + 1] += first_use_[p];
  uses_.resize(first_use_.back());
  std::vector<uint32_t> filled(first_use_.begin(), first_use_.end() - 1);
  for_each_edge([&](judge::Position from, judge::Position to) { uses_[filled[from]++] = to; });
}

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
void OrderGraph::remove_suspects(const OrderGraph& whole, judge::Position read) {
  Steps before(threads_), after(threads_, ~uint32_t{0});
  auto add_before = [&](judge::Position p) {
    const uint32_t* theirs = whole.clock(p);
    for (size_t t = 0; t < threads_; ++t) before[t] = std::max(before[t], theirs[t]);
  };
  auto add_after = [&](judge::Position p) {
    for (size_t t = 0; t < threads_; ++t) {
      const uint32_t first = whole.steps_until_after(p, t);
      if (first < facts_.events_of[t].size()) after[t] = std::min(after[t], first);
    }
  };
  auto is_before = [&](judge::Position p) {
    return facts_.step[p] < before[facts_.thread_index(p)];
  };
  auto is_after = [&](judge::Position p) {
    return facts_.step[p] >= after[facts_.thread_index(p)];
  };
  add_before(facts_.partner[read]);
  add_after(read);
  const bool is_whole = limits_ == whole.limits_;
  if (!is_whole) {
    for (size_t t = 0; t < threads_; ++t) {
      // Events from here on follow from something that is cut off, or are cut off themselves. A
      // scope that reaches up to there has no end now.
      const std::vector<judge::Position>& events = facts_.events_of[t];
      const auto first = std::ranges::partition_point(events, [&](judge::Position p) {
        const uint32_t* reached = whole.clock(p);
        for (size_t u = 0; u < threads_; ++u) {
          if (reached[u] > limits_[u]) return false;
        }
        return true;
      });
      auto suspect = [&](judge::Position acquire) {
        const judge::Position end = facts_.match[acquire];
        for (judge::Position release : whole.induced_[acquire]) {
          if (!is_cut(release) && (end == judge::kNoPosition || !is_cut(end))) continue;
          add_before(release);
          add_after(acquire);
        }
      };
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
  auto acquire_step = [&](const Scope& s) { return facts_.step[s.acquire]; };
  for (bool grown = true; grown;) {
    grown = false;
    for (const ScopeList& list : parts_.lists) {
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
  judge::Position earliest = judge::kNoPosition, latest = 0;
  for (size_t t = 0; t < threads_; ++t) {
    const std::vector<judge::Position>& events = facts_.events_of[t];
    if (after[t] < events.size()) earliest = std::min(earliest, events[after[t]]);
    if (before[t] > 0) latest = std::max(latest, events[before[t] - 1]);
  }
  const auto first = std::ranges::lower_bound(whole.induced_edges_, earliest, {}, &Edge::second);
  size_t i = static_cast<size_t>(first - whole.induced_edges_.begin());
  while (i < whole.induced_edges_.size()) {
    if (whole.first_release_[i / kBlock] > latest) {
      i = (i / kBlock + 1) * kBlock;
      continue;
    }
    const auto& [release, acquire] = whole.induced_edges_[i++];
    if (!is_before(release) || !is_after(acquire) || is_cut(acquire)) continue;
    std::erase(induced_[acquire], release);
    changed_induced_.push_back(acquire);
    plant(acquire);
  }
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

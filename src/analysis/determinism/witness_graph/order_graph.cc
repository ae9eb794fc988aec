#include "analysis/determinism/witness_graph/order_graph.h"

#include <algorithm>

namespace foretell {

GraphParts::GraphParts(const TraceFacts& trace_facts) : facts(trace_facts) {
  lists_of.resize(facts.lock_count);
  for (size_t lock = 0; lock < facts.lock_count; ++lock) {
    for (uint32_t thread : facts.locks.users(LockId{static_cast<uint32_t>(lock)})) {
      lists_of[lock].push_back(static_cast<uint32_t>(lists.size()));
      lists.push_back({LockId{static_cast<uint32_t>(lock)}, thread, {}, {}});
    }
  }
  std::vector<std::pair<Position, Position>> waits;  // notify, wait
  for (Position p = 0; p < facts.size(); ++p) {
    const Event& e = facts.event(p);
    if (e.kind == EventKind::WaitEnd && facts.partner[p] != kNoPosition) {
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
  for (Position p = 0; p < facts.size(); ++p) {
    first_sync_.push_back(static_cast<uint32_t>(sync_.size()));
    const Event& e = facts.event(p);
    facts.for_each_need(p, [&](Position q) {
      const bool couple = is_read(e.kind) && q == facts.partner[p];
      if (!couple) sync_.push_back(q);
    });
    // Who is notified was waiting.
    for (; wait != waits.end() && wait->first == p; ++wait) sync_.push_back(wait->second);
  }
  first_sync_.push_back(static_cast<uint32_t>(sync_.size()));
}

OrderGraph::OrderGraph(const GraphParts& parts)
    : parts_(parts),
      facts_(parts.facts),
      threads_(facts_.thread_count()),
      clocks_(facts_.size() * threads_),
      induced_(facts_.size()) {}

void OrderGraph::compute_clocks(Position without) {
  for (Position p = 0; p < facts_.size(); ++p) {
    if (is_cut(p)) continue;
    uint32_t* mine = clock(p);
    const size_t thread = facts_.thread_index(p);
    const uint32_t step = facts_.step[p];
    if (step > 0) {
      const uint32_t* last = clock(facts_.events_of[thread][step - 1]);
      for (size_t t = 0; t < threads_; ++t) mine[t] = last[t];
    } else {
      std::fill_n(mine, threads_, 0);
    }
    auto join = [&](Position q) {
      const uint32_t* theirs = clock(q);
      for (size_t t = 0; t < threads_; ++t) mine[t] = std::max(mine[t], theirs[t]);
    };
    for (Position q : parts_.sync_before(p)) join(q);
    if (is_read(facts_.event(p).kind) && p != without) {
      const Position writer = facts_.partner[p];
      if (writer != kNoPosition && writer != kUnknownWriter) join(writer);
    }
    for (Position q : induced_[p]) join(q);
    mine[thread] = step + 1;
  }
}

// One round: the last scope of each thread that reaches into a scope precedes it.
bool OrderGraph::induce_forward() {
  bool any = false;
  auto order = [&](const std::vector<Scope>& firsts, size_t thread, const Scope& second) {
    const Position end = is_left(second)
                             ? second.release
                             : facts_.events_of[facts_.thread_index(second.acquire)]
                                               [limits_[facts_.thread_index(second.acquire)] - 1];
    const uint32_t reached = clock(end)[thread];
    const auto beyond = std::ranges::lower_bound(
        firsts, reached, {}, [&](const Scope& s) { return facts_.step[s.acquire]; });
    if (beyond == firsts.begin()) return;
    const Scope& first = *std::prev(beyond);
    if (!is_left(first) || reaches_without_added(first.release, second.acquire)) return;
    induced_[second.acquire].push_back(first.release);
    has_induced_.push_back(second.acquire);
    any = true;
  };
  for (const auto& of_lock : parts_.lists_of) {
    for (uint32_t i : of_lock) {
      for (const Scope& second : parts_.lists[i].scopes) {
        if (is_cut(second.acquire)) break;
        const bool exclusive = begins_exclusive(facts_.event(second.acquire).kind);
        for (uint32_t j : of_lock) {
          if (i == j) continue;
          const ScopeList& other = parts_.lists[j];
          order(exclusive ? other.scopes : other.exclusive, other.thread, second);
        }
      }
    }
  }
  return any;
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

bool OrderGraph::build(Position without, std::span<const uint32_t> limits) {
  for (Position p : has_induced_) induced_[p].clear();
  has_induced_.clear();
  added_.clear();
  limits_.assign(limits.begin(), limits.end());
  do {
    compute_clocks(without);
  } while (induce_forward());
  return order_unleft_scopes();
}

Position OrderGraph::first_after(Position p, size_t thread) const {
  const std::vector<Position>& events = facts_.events_of[thread];
  const auto end = events.begin() + limits_[thread];
  const auto it = std::partition_point(events.begin(), end,
                                       [&](Position q) { return !reaches_without_added(p, q); });
  return it == end ? kNoPosition : *it;
}

void OrderGraph::before(Position p, Steps& steps) const {
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

void OrderGraph::after(Position p, Steps& steps) const {
  steps.resize(threads_);
  auto first_of = [&](Position q, size_t t) {
    const Position first = first_after(q, t);
    return first == kNoPosition ? ~uint32_t{0} : facts_.step[first];
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

bool OrderGraph::reaches(Position a, Position b) const {
  if (added_.empty() || reaches_without_added(a, b)) return reaches_without_added(a, b);
  Steps steps;
  before(b, steps);
  return steps[facts_.thread_index(a)] > facts_.step[a];
}

bool OrderGraph::add(Position from, Position to) {
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
bool OrderGraph::induce(Position from, Position to) {
  Steps sources, targets;
  before(from, sources);
  after(to, targets);
  auto acquire_step = [&](const Scope& s) { return facts_.step[s.acquire]; };
  auto order = [&](const std::vector<Scope>& firsts, size_t first_thread,
                   const std::vector<Scope>& seconds, size_t second_thread) {
    const auto beyond = std::ranges::lower_bound(firsts, sources[first_thread], {}, acquire_step);
    if (beyond == firsts.begin()) return true;
    const Scope& first = *std::prev(beyond);
    const auto end = std::ranges::lower_bound(seconds, limits_[second_thread], {}, acquire_step);
    const auto second = std::partition_point(seconds.begin(), end, [&](const Scope& s) {
      // A scope that is not left has no last event: its thread ends in it.
      return is_left(s) && facts_.step[s.release] < targets[second_thread];
    });
    if (second == end || targets[second_thread] == ~uint32_t{0}) return true;
    if (!is_left(first)) return false;
    if (!reaches(first.release, second->acquire))
      work_.emplace_back(first.release, second->acquire);
    return true;
  };
  for (const auto& of_lock : parts_.lists_of) {
    for (uint32_t i : of_lock) {
      const ScopeList& mine = parts_.lists[i];
      if (sources[mine.thread] == 0) continue;
      for (uint32_t j : of_lock) {
        if (i == j) continue;
        const ScopeList& other = parts_.lists[j];
        if (targets[other.thread] == ~uint32_t{0}) continue;
        if (!order(mine.exclusive, mine.thread, other.scopes, other.thread)) return false;
        if (!order(mine.scopes, mine.thread, other.exclusive, other.thread)) return false;
      }
    }
  }
  return true;
}

}  // namespace foretell

#include "analysis/determinism/witness_graph/choices.h"

#include <algorithm>

namespace foretell {

ChoiceFinder::ChoiceFinder(const GraphParts& parts)
    : parts_(parts), facts_(parts.facts), slot_(facts_.size()) {
  uint32_t rows = 0;
  for (const ScopeList& list : parts.lists) {
    for (const Scope& s : list.scopes) {
      if (s.release != kNoPosition) slot_[s.release] = rows++;
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

void ChoiceFinder::reach(size_t thread, uint32_t at) {
  if (at >= reached_[thread]) return;
  reached_[thread] = at;
  grown_.push_back(thread);
}

void ChoiceFinder::be_reached_by(size_t thread, uint32_t steps) {
  if (steps <= reaching_[thread]) return;
  reaching_[thread] = steps;
  grown_.push_back(thread);
}

void ChoiceFinder::find_reached(Position x) {
  reached_.assign(facts_.thread_count(), ~uint32_t{0});
  reach(facts_.thread_index(x), step(x));
  while (!grown_.empty()) {
    const size_t t = grown_.back();
    grown_.pop_back();
    for (uint32_t i : parts_.lists_by[t]) {
      const Scopes& scopes = parts_.lists[i].scopes;
      const auto beyond = first_from(scopes, reached_[t]);
      if (beyond == scopes.begin()) continue;
      const Scope& s = *std::prev(beyond);
      if (is_there(s) && reached_[t] < end_of(s)) reach(t, step(s.acquire));
    }
    graph_->after(facts_.events_of[t][reached_[t]], scratch_);
    for (size_t u = 0; u < scratch_.size(); ++u) reach(u, scratch_[u]);
    for (uint32_t i : parts_.lists_by[t]) {
      const ScopeList& mine = parts_.lists[i];
      for (uint32_t j : parts_.lists_of[to_index(mine.lock)]) {
        if (i == j) continue;
        const ScopeList& other = parts_.lists[j];
        cross_forward(mine.exclusive, t, other.scopes, other.thread);
        cross_forward(mine.scopes, t, other.exclusive, other.thread);
      }
    }
  }
}

void ChoiceFinder::find_reaching(Position y) {
  reaching_.assign(facts_.thread_count(), 0);
  be_reached_by(facts_.thread_index(y), step(y) + 1);
  while (!grown_.empty()) {
    const size_t t = grown_.back();
    grown_.pop_back();
    for (uint32_t i : parts_.lists_by[t]) {
      const Scopes& scopes = parts_.lists[i].scopes;
      const auto beyond = first_from(scopes, reaching_[t]);
      if (beyond == scopes.begin()) continue;
      const Scope& s = *std::prev(beyond);
      if (is_there(s)) be_reached_by(t, end_of(s));
    }
    graph_->before(facts_.events_of[t][reaching_[t] - 1], scratch_);
    for (size_t u = 0; u < scratch_.size(); ++u) be_reached_by(u, scratch_[u]);
    for (uint32_t i : parts_.lists_by[t]) {
      const ScopeList& mine = parts_.lists[i];
      for (uint32_t j : parts_.lists_of[to_index(mine.lock)]) {
        if (i == j) continue;
        const ScopeList& other = parts_.lists[j];
        cross_backward(mine.exclusive, t, other.scopes, other.thread);
        cross_backward(mine.scopes, t, other.exclusive, other.thread);
      }
    }
  }
}

void ChoiceFinder::cross_forward(const Scopes& mine, size_t my_thread, const Scopes& other,
                                 size_t other_thread) {
  const auto first = first_from(mine, reached_[my_thread]);
  if (first == mine.end() || !is_there(*first) || !graph_->is_left(*first)) return;
  const auto partner = first_from(other, before_release(*first)[other_thread]);
  // A scope that is never left has its place behind the others.
  if (partner == other.end() || !is_there(*partner) || !graph_->is_left(*partner)) return;
  reach(other_thread, step(partner->acquire));
}

void ChoiceFinder::cross_backward(const Scopes& mine, size_t my_thread, const Scopes& other,
                                  size_t other_thread) {
  const auto beyond = first_from(mine, reaching_[my_thread]);
  if (beyond == mine.begin() || !graph_->is_left(*std::prev(beyond))) return;
  const uint32_t acquire = step(std::prev(beyond)->acquire);
  // The last one that the acquire does not reach into.
  const auto end = std::partition_point(other.begin(), other.end(), [&](const Scope& s) {
    return is_there(s) && graph_->is_left(s) && before_release(s)[my_thread] <= acquire;
  });
  if (end != other.begin()) be_reached_by(other_thread, end_of(*std::prev(end)));
}

void ChoiceFinder::find_pairs(const ScopeList& mine, const ScopeList& other) {
  if (reached_[mine.thread] == ~uint32_t{0} || reaching_[other.thread] == 0) return;
  for (auto a = first_from(mine.scopes, reached_[mine.thread]); a != mine.scopes.end(); ++a) {
    if (!is_there(*a) || !graph_->is_left(*a)) break;
    const bool exclusive = begins_exclusive(facts_.event(a->acquire).kind);
    const Scopes& scopes = exclusive ? other.scopes : other.exclusive;
    auto b = first_from(scopes, before_release(*a)[other.thread]);
    for (; b != scopes.end() && is_there(*b) && graph_->is_left(*b); ++b) {
      if (end_of(*b) > reaching_[other.thread]) break;
      if (before_release(*b)[mine.thread] > step(a->acquire)) break;
      const Scope& first = a->acquire < b->acquire ? *a : *b;
      const Scope& second = a->acquire < b->acquire ? *b : *a;
      pairs_.push_back({{first.release, second.acquire}, {second.release, first.acquire}});
    }
  }
}

const std::vector<ChoicePair>& ChoiceFinder::find(const OrderGraph& graph,
                                                  std::span<const OrderGraph::Edge> order) {
  graph_ = &graph;
  ++witness_;
  pairs_.clear();
  for (const auto& [y, x] : order) {
    find_reached(x);
    find_reaching(y);
    for (const auto& of_lock : parts_.lists_of) {
      for (uint32_t i : of_lock) {
        for (uint32_t j : of_lock) {
          if (i != j) find_pairs(parts_.lists[i], parts_.lists[j]);
        }
      }
    }
  }
  std::ranges::sort(pairs_);
  const auto repeated = std::ranges::unique(pairs_);
  pairs_.erase(repeated.begin(), repeated.end());
  return pairs_;
}

}  // namespace foretell

#include "analysis/determinism/witness_graph/choices.h"

#include <algorithm>

namespace foretell {
namespace {

using Steps = OrderGraph::Steps;

class Abstraction {
 public:
  explicit Abstraction(const OrderGraph& graph)
      : graph_(graph), parts_(graph.parts()), facts_(parts_.facts) {}

  // By thread: the first event reached from `x`, or ~0.
  Steps reached_from(Position x) const {
    Steps reached(facts_.thread_count(), ~uint32_t{0});
    reached[facts_.thread_index(x)] = facts_.step[x];
    Steps before;
    do {
      before = reached;
      for (size_t t = 0; t < reached.size(); ++t) {
        if (reached[t] == ~uint32_t{0}) continue;
        Steps after;
        graph_.after(facts_.events_of[t][reached[t]], after);
        for (size_t u = 0; u < reached.size(); ++u) reached[u] = std::min(reached[u], after[u]);
      }
      for_scope_lists([&](const ScopeList& mine, const ScopeList& other) {
        cross_forward(mine.exclusive, mine.thread, other.scopes, other.thread, reached);
        cross_forward(mine.scopes, mine.thread, other.exclusive, other.thread, reached);
      });
      for (const ScopeList& list : parts_.lists) {
        for (const Scope& s : list.scopes) {
          if (contains(s, reached[list.thread])) reached[list.thread] = step(s.acquire);
        }
      }
    } while (reached != before);
    return reached;
  }

  // By thread: how many first events reach `y`.
  Steps reaching(Position y) const {
    Steps reaching(facts_.thread_count());
    reaching[facts_.thread_index(y)] = facts_.step[y] + 1;
    Steps before;
    do {
      before = reaching;
      for (size_t t = 0; t < reaching.size(); ++t) {
        if (reaching[t] == 0) continue;
        Steps sources;
        graph_.before(facts_.events_of[t][reaching[t] - 1], sources);
        for (size_t u = 0; u < reaching.size(); ++u) {
          reaching[u] = std::max(reaching[u], sources[u]);
        }
      }
      for_scope_lists([&](const ScopeList& mine, const ScopeList& other) {
        cross_backward(mine.exclusive, mine.thread, other.scopes, other.thread, reaching);
        cross_backward(mine.scopes, mine.thread, other.exclusive, other.thread, reaching);
      });
      for (const ScopeList& list : parts_.lists) {
        for (const Scope& s : list.scopes) {
          if (contains(s, reaching[list.thread])) reaching[list.thread] = end_of(s);
        }
      }
    } while (reaching != before);
    return reaching;
  }

  template <class Visit>
  void for_scope_lists(Visit&& visit) const {
    for (const auto& of_lock : parts_.lists_of) {
      for (uint32_t i : of_lock) {
        for (uint32_t j : of_lock) {
          if (i != j) visit(parts_.lists[i], parts_.lists[j]);
        }
      }
    }
  }

  bool is_there(const Scope& s) const { return !graph_.is_cut(s.acquire); }
  bool are_unordered(const Scope& a, const Scope& b) const {
    // A scope that is never left has its place behind the others.
    if (!graph_.is_left(a) || !graph_.is_left(b)) return false;
    return !graph_.reaches(a.acquire, b.release) && !graph_.reaches(b.acquire, a.release);
  }
  uint32_t step(Position p) const { return facts_.step[p]; }
  // One more than the step of its last event.
  uint32_t end_of(const Scope& s) const {
    return graph_.is_left(s) ? step(s.release) + 1
                             : graph_.limits()[facts_.thread_index(s.acquire)];
  }

 private:
  // Whether `at`, a boundary between two events of its thread, is inside the scope.
  bool contains(const Scope& s, uint32_t at) const {
    return is_there(s) && step(s.acquire) < at && at < end_of(s);
  }

  void cross_forward(const std::vector<Scope>& mine, size_t my_thread,
                     const std::vector<Scope>& other, size_t other_thread, Steps& reached) const {
    const auto first = std::ranges::lower_bound(mine, reached[my_thread], {},
                                                [&](const Scope& s) { return step(s.acquire); });
    if (first == mine.end() || !is_there(*first) || !graph_.is_left(*first)) return;
    Steps sources;
    graph_.before(first->release, sources);
    const auto partner = std::ranges::lower_bound(other, sources[other_thread], {},
                                                  [&](const Scope& s) { return step(s.acquire); });
    if (partner == other.end() || !is_there(*partner) || !graph_.is_left(*partner)) return;
    reached[other_thread] = std::min(reached[other_thread], step(partner->acquire));
  }

  void cross_backward(const std::vector<Scope>& mine, size_t my_thread,
                      const std::vector<Scope>& other, size_t other_thread, Steps& reaching) const {
    const auto beyond = std::ranges::lower_bound(mine, reaching[my_thread], {},
                                                 [&](const Scope& s) { return step(s.acquire); });
    if (beyond == mine.begin() || !graph_.is_left(*std::prev(beyond))) return;
    Steps targets;
    graph_.after(std::prev(beyond)->acquire, targets);
    // The last one that the acquire does not reach into.
    const auto end = std::partition_point(other.begin(), other.end(), [&](const Scope& s) {
      return is_there(s) && graph_.is_left(s) && step(s.release) < targets[other_thread];
    });
    if (end == other.begin()) return;
    reaching[other_thread] = std::max(reaching[other_thread], end_of(*std::prev(end)));
  }

  const OrderGraph& graph_;
  const GraphParts& parts_;
  const TraceFacts& facts_;
};

}  // namespace

std::vector<ChoicePair> find_choices(const OrderGraph& graph,
                                     std::span<const OrderGraph::Edge> order) {
  const Abstraction abstraction(graph);
  std::vector<ChoicePair> pairs;
  for (const auto& [y, x] : order) {
    const Steps reached = abstraction.reached_from(x), reaching = abstraction.reaching(y);
    abstraction.for_scope_lists([&](const ScopeList& mine, const ScopeList& other) {
      if (reached[mine.thread] == ~uint32_t{0} || reaching[other.thread] == 0) return;
      for (const Scope& a : mine.scopes) {
        if (!abstraction.is_there(a)) break;
        if (abstraction.step(a.acquire) < reached[mine.thread]) continue;
        const bool exclusive = begins_exclusive(graph.parts().facts.event(a.acquire).kind);
        for (const Scope& b : exclusive ? other.scopes : other.exclusive) {
          if (!abstraction.is_there(b) || abstraction.end_of(b) > reaching[other.thread]) break;
          if (!abstraction.are_unordered(a, b)) continue;
          const Scope& first = a.acquire < b.acquire ? a : b;
          const Scope& second = a.acquire < b.acquire ? b : a;
          pairs.push_back({{first.release, second.acquire}, {second.release, first.acquire}});
        }
      }
    });
  }
  std::ranges::sort(pairs);
  const auto repeated = std::ranges::unique(pairs);
  pairs.erase(repeated.begin(), repeated.end());
  return pairs;
}

}  // namespace foretell

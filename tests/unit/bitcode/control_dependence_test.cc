// SPDX-License-Identifier: Apache-2.0

// Control scopes, compared with the definition read literally, and with the classic and the weak
// dependence as their authors define them, on random graphs.

#include "bitcode/control_scope/control_dependence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace foretell::bitcode {
namespace {

using Nodes = std::set<uint32_t>;

FlowGraph graph_of(const std::vector<std::vector<uint32_t>>& edges) {
  FlowGraph graph;
  for (const auto& successors : edges) graph.nodes.push_back({successors, successors.empty()});
  return graph;
}

// Every node can be reached and can reach a stop.
FlowGraph random_graph(std::mt19937& random, bool with_stops) {
  for (;;) {
    const uint32_t count = 2 + random() % 7;
    FlowGraph graph;
    graph.nodes.resize(count);
    for (uint32_t node = 0; node + 1 < count; node++) {
      for (uint32_t ways = 1 + random() % 2 + (random() % 8 == 0); ways > 0; ways--) {
        const uint32_t to = random() % count;
        auto& successors = graph.nodes[node].successors;
        if (std::ranges::find(successors, to) == successors.end()) successors.push_back(to);
      }
      graph.nodes[node].may_stop = with_stops && random() % 6 == 0;
    }
    graph.nodes[count - 1].may_stop = true;
    std::vector<bool> reached(count), stops(count);
    reached[0] = true;
    for (uint32_t round = 0; round < count; round++) {
      for (uint32_t node = 0; node < count; node++) {
        if (graph.nodes[node].may_stop) stops[node] = true;
        for (uint32_t to : graph.nodes[node].successors) {
          if (reached[node]) reached[to] = true;
          if (stops[to]) stops[node] = true;
        }
      }
    }
    if (std::ranges::all_of(reached, std::identity{}) &&
        std::ranges::all_of(stops, std::identity{}))
      return graph;
  }
}

// The definition, read literally: a run that avoids m is a path without m to a stop, or a path to a
// closed walk that does not terminate. Paths are enumerated without repeating a node.
class BruteForce {
 public:
  BruteForce(const FlowGraph& graph, const std::vector<FlowCycle>& cycles,
             const std::vector<bool>& terminates)
      : graph_(graph), cycles_(cycles), terminates_(terminates) {}

  bool can_avoid(uint32_t from, uint32_t m) {
    path_.clear();
    return walk(from, m);
  }
  bool in_scope(uint32_t b, uint32_t m) {
    if (graph_.ways(b) < 2) return false;
    bool some_avoid = graph_.nodes[b].may_stop, some_reach = false;
    for (uint32_t way : graph_.nodes[b].successors)
      (can_avoid(way, m) ? some_avoid : some_reach) = true;
    return some_avoid && some_reach;
  }

 private:
  bool walk(uint32_t node, uint32_t m) {
    if (node == m) return false;
    const auto again = std::ranges::find(path_, node);
    if (again != path_.end()) return !ends({again, path_.end()});
    if (graph_.nodes[node].may_stop) return true;
    path_.push_back(node);
    bool found = false;
    for (uint32_t next : graph_.nodes[node].successors) found = found || walk(next, m);
    path_.pop_back();
    return found;
  }
  // Whether whoever goes round here leaves some day: the smallest cycle around it terminates.
  bool ends(const Nodes& round) const {
    const FlowCycle* smallest = nullptr;
    size_t place = 0;
    for (size_t i = 0; i < cycles_.size(); i++) {
      const auto& nodes = cycles_[i].nodes;
      if (!std::ranges::includes(nodes, round)) continue;
      if (!smallest || nodes.size() < smallest->nodes.size()) smallest = &cycles_[i], place = i;
    }
    EXPECT_TRUE(smallest && round.contains(smallest->header));
    return terminates_[place];
  }

  const FlowGraph& graph_;
  const std::vector<FlowCycle>& cycles_;
  const std::vector<bool>& terminates_;
  std::vector<uint32_t> path_;
};

// Whether m is on every path from `from` to a stop.
bool postdominates(const FlowGraph& graph, uint32_t m, uint32_t from) {
  if (m == from) return true;
  std::vector<uint32_t> left = {from};
  Nodes seen = {from};
  while (!left.empty()) {
    const uint32_t node = left.back();
    left.pop_back();
    if (graph.nodes[node].may_stop) return false;
    for (uint32_t to : graph.nodes[node].successors)
      if (to != m && seen.insert(to).second) left.push_back(to);
  }
  return true;
}

// Ferrante, Ottenstein, Warren: m postdominates a successor of b, and does not strictly postdominate
// b itself.
bool is_classic(const FlowGraph& graph, uint32_t b, uint32_t m) {
  if (m != b && postdominates(graph, m, b)) return false;
  return std::ranges::any_of(graph.nodes[b].successors,
                             [&](uint32_t way) { return postdominates(graph, m, way); });
}

// Podgurski, Clarke: m strongly postdominates one successor and not another, where m strongly
// postdominates u if it also is on every path from u of a length nobody bounds.
bool is_weak(const FlowGraph& graph, uint32_t b, uint32_t m) {
  const auto strongly = [&](uint32_t from) {
    // m is reached within as many steps as there are nodes, whatever is chosen.
    Nodes at = {from};
    for (size_t step = 0; step <= graph.nodes.size(); step++) {
      at.erase(m);
      Nodes next;
      for (uint32_t node : at) {
        if (graph.nodes[node].may_stop) return false;
        next.insert(graph.nodes[node].successors.begin(), graph.nodes[node].successors.end());
      }
      at = next;
    }
    return at.empty();
  };
  if (graph.ways(b) < 2) return false;
  bool some_avoid = graph.nodes[b].may_stop, some_reach = false;
  for (uint32_t way : graph.nodes[b].successors) (strongly(way) ? some_reach : some_avoid) = true;
  return some_avoid && some_reach;
}

std::string text_of(const FlowGraph& graph) {
  std::string text;
  for (uint32_t node = 0; node < graph.nodes.size(); node++) {
    text += std::to_string(node) + (graph.nodes[node].may_stop ? "!" : "") + " ->";
    for (uint32_t to : graph.nodes[node].successors) text += " " + std::to_string(to);
    text += "; ";
  }
  return text;
}

template <class Expected>
void compare(const FlowGraph& graph, const std::vector<std::vector<uint32_t>>& scopes,
             Expected expected) {
  for (uint32_t b = 0; b < graph.nodes.size(); b++)
    for (uint32_t m = 0; m < graph.nodes.size(); m++)
      ASSERT_EQ(std::ranges::find(scopes[b], m) != scopes[b].end(), expected(b, m))
          << "branch " << b << " node " << m << " in " << text_of(graph);
}

TEST(ControlScope, IsTheDefinition) {
  std::mt19937 random(1);
  size_t endless = 0, terminating = 0;
  for (int round = 0; round < 5000; round++) {
    const FlowGraph graph = random_graph(random, /*with_stops=*/true);
    const auto cycles = cycles_of(graph);
    std::vector<bool> terminates;
    for (size_t i = 0; i < cycles.size(); i++) {
      terminates.push_back(random() % 2 == 0);
      (terminates.back() ? terminating : endless)++;
    }
    BruteForce definition(graph, cycles, terminates);
    compare(graph, control_scopes(graph, cycles, terminates),
            [&](uint32_t b, uint32_t m) { return definition.in_scope(b, m); });
  }
  EXPECT_GT(endless, 1000u);
  EXPECT_GT(terminating, 1000u);
}

TEST(ControlScope, IsClassicIfAllLoopsTerminate) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; round++) {
    const FlowGraph graph = random_graph(random, /*with_stops=*/false);
    const auto cycles = cycles_of(graph);
    compare(graph, control_scopes(graph, cycles, std::vector<bool>(cycles.size(), true)),
            [&](uint32_t b, uint32_t m) { return is_classic(graph, b, m); });
  }
}

TEST(ControlScope, IsWeakIfNoneDoes) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; round++) {
    const FlowGraph graph = random_graph(random, /*with_stops=*/true);
    const auto cycles = cycles_of(graph);
    compare(graph, control_scopes(graph, cycles, std::vector<bool>(cycles.size(), false)),
            [&](uint32_t b, uint32_t m) { return is_weak(graph, b, m); });
  }
}

// SLICED, figure 3.
TEST(ControlScope, OfAChoiceIsItsArms) {
  const FlowGraph graph = graph_of({{1, 2}, {3}, {3}, {}});
  EXPECT_EQ(control_scopes(graph, {}, {})[0], (std::vector<uint32_t>{1, 2}));
}

TEST(ControlScope, OfALoopReachesBehindItUnlessItTerminates) {
  const FlowGraph graph = graph_of({{1}, {2, 3}, {1}, {}});
  const auto cycles = cycles_of(graph);
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(cycles[0].header, 1u);
  EXPECT_EQ(control_scopes(graph, cycles, {true})[1], (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(control_scopes(graph, cycles, {false})[1], (std::vector<uint32_t>{1, 2, 3}));
}

TEST(ControlScope, ACallThatMayNotReturnIsABranch) {
  FlowGraph graph = graph_of({{1}, {2}, {}});
  graph.nodes[0].may_stop = true;
  EXPECT_EQ(control_scopes(graph, {}, {})[0], (std::vector<uint32_t>{1, 2}));
}

TEST(ControlScope, CyclesNest) {
  const FlowGraph graph = graph_of({{1}, {2, 4}, {3}, {2, 1}, {}});
  const auto cycles = cycles_of(graph);
  ASSERT_EQ(cycles.size(), 2u);
  EXPECT_EQ(cycles[0].nodes, (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(cycles[1].nodes, (std::vector<uint32_t>{2, 3}));
}

}  // namespace
}  // namespace foretell::bitcode

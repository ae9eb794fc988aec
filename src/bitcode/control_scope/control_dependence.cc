// SPDX-License-Identifier: Apache-2.0

#include "bitcode/control_scope/control_dependence.h"

#include <algorithm>
#include <limits>

#include "bitcode/components.h"

namespace foretell::bitcode {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// Numbers of the nodes in an order in which a node comes before its successors, cycles aside; kNone
// for what cannot be reached.
std::vector<uint32_t> reverse_postorder(const FlowGraph& graph) {
  std::vector<uint32_t> numbers(graph.nodes.size(), kNone);
  std::vector<bool> seen(graph.nodes.size());
  std::vector<std::pair<uint32_t, size_t>> path;
  auto left = static_cast<uint32_t>(graph.nodes.size());
  if (graph.nodes.empty()) return numbers;
  path.emplace_back(0, 0);
  seen[0] = true;
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next < graph.nodes[node].successors.size()) {
      const uint32_t successor = graph.nodes[node].successors[next++];
      if (!seen[successor]) {
        seen[successor] = true;
        path.emplace_back(successor, 0);
      }
      continue;
    }
    numbers[node] = --left;
    path.pop_back();
  }
  return numbers;
}

// For 64 nodes at a time, which of them a run can avoid forever.
class Avoidance {
 public:
  Avoidance(const FlowGraph& graph, const std::vector<FlowCycle>& cycles,
            const std::vector<bool>& terminates)
      : graph_(graph), within_(graph.nodes.size(), kNone) {
    const std::vector<uint32_t> numbers = reverse_postorder(graph);
    for (uint32_t node = 0; node < graph.nodes.size(); node++)
      if (numbers[node] != kNone) order_.push_back(node);
    std::ranges::sort(order_, {}, [&](uint32_t node) { return numbers[node]; });
    for (size_t i = 0; i < cycles.size(); i++)
      if (!terminates[i]) endless_.push_back(&cycles[i]);
    for (const FlowCycle* cycle : endless_) {
      std::vector<uint32_t>& nodes = ordered_.emplace_back(cycle->nodes);
      std::ranges::sort(nodes, {}, [&](uint32_t node) { return numbers[node]; });
    }
  }

  const std::vector<uint32_t>& order() const { return order_; }

  // Bit i of the result for a node: a run from there can avoid node first + i.
  std::vector<uint64_t> of(uint32_t first) {
    first_ = first;
    std::vector<uint64_t> avoids(graph_.nodes.size());
    for (uint32_t node : order_)
      if (graph_.nodes[node].may_stop) avoids[node] = ~own(node);
    for (size_t i = 0; i < endless_.size(); i++) {
      const uint32_t header = endless_[i]->header;
      avoids[header] |= returns(i) & ~own(header);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        uint64_t bits = avoids[*at];
        for (uint32_t successor : graph_.nodes[*at].successors) bits |= avoids[successor];
        bits &= ~own(*at);
        changed |= bits != avoids[*at];
        avoids[*at] = bits;
      }
    }
    return avoids;
  }

 private:
  uint64_t own(uint32_t node) const {
    return node >= first_ && node - first_ < 64 ? uint64_t{1} << (node - first_) : 0;
  }

  // Without which nodes the header of an endless cycle comes back to itself within the cycle.
  uint64_t returns(size_t cycle) {
    const uint32_t header = endless_[cycle]->header;
    for (uint32_t node : ordered_[cycle]) within_[node] = static_cast<uint32_t>(cycle);
    std::vector<uint64_t>& reached = reached_;
    reached.resize(graph_.nodes.size());
    for (uint32_t node : ordered_[cycle]) reached[node] = 0;
    uint64_t back = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t node : ordered_[cycle]) {
        const uint64_t bits = node == header ? ~own(header) : reached[node];
        for (uint32_t successor : graph_.nodes[node].successors) {
          if (within_[successor] != cycle) continue;
          const uint64_t arriving = bits & ~own(successor);
          uint64_t& known = successor == header ? back : reached[successor];
          changed |= (arriving & ~known) != 0;
          known |= arriving;
        }
      }
    }
    return back;
  }

  const FlowGraph& graph_;
  std::vector<uint32_t> order_;
  std::vector<const FlowCycle*> endless_;
  std::vector<std::vector<uint32_t>> ordered_;  // the nodes of the endless cycles
  std::vector<uint32_t> within_;
  std::vector<uint64_t> reached_;
  uint32_t first_ = 0;
};

}  // namespace

std::vector<FlowCycle> cycles_of(const FlowGraph& graph) {
  const std::vector<uint32_t> numbers = reverse_postorder(graph);
  std::vector<FlowCycle> cycles;
  // Nodes of one color are looked at together; without its header a cycle gets a new color.
  std::vector<uint32_t> colors(graph.nodes.size());
  uint32_t next_color = 1;
  std::vector<std::vector<uint32_t>> parts(1);
  for (uint32_t node = 0; node < graph.nodes.size(); node++)
    if (numbers[node] != kNone) parts[0].push_back(node);
  for (size_t i = 0; i < parts.size(); i++) {
    const uint32_t color = next_color++;
    for (uint32_t node : parts[i]) colors[node] = color;
    Components components(graph.nodes.size());
    std::vector<std::vector<uint32_t>> found;
    for (uint32_t root : parts[i])
      components.visit(
          root,
          [&](uint32_t node) -> const std::vector<uint32_t>& {
            return graph.nodes[node].successors;
          },
          [&](uint32_t node) { return colors[node] == color; },
          [&](std::vector<uint32_t> members) {
            const auto& own = graph.nodes[members.front()].successors;
            if (members.size() > 1 || std::ranges::find(own, members.front()) != own.end())
              found.push_back(std::move(members));
          });
    for (std::vector<uint32_t>& members : found) {
      std::ranges::sort(members);
      const uint32_t header =
          *std::ranges::min_element(members, {}, [&](uint32_t node) { return numbers[node]; });
      cycles.push_back({header, members});
      colors[header] = 0;
      std::erase(members, header);
      if (!members.empty()) parts.push_back(std::move(members));
    }
  }
  return cycles;
}

std::vector<std::vector<uint32_t>> control_scopes(const FlowGraph& graph,
                                                  const std::vector<FlowCycle>& cycles,
                                                  const std::vector<bool>& terminates) {
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  std::vector<std::vector<uint32_t>> scopes(count);
  Avoidance avoidance(graph, cycles, terminates);
  for (uint32_t first = 0; first < count; first += 64) {
    const std::vector<uint64_t> avoids = avoidance.of(first);
    const uint64_t asked = count - first < 64 ? (uint64_t{1} << (count - first)) - 1 : ~uint64_t{0};
    for (uint32_t node : avoidance.order()) {
      if (graph.ways(node) < 2) continue;
      // Stopping avoids all.
      uint64_t some_avoid = graph.nodes[node].may_stop ? ~uint64_t{0} : 0, some_reach = 0;
      for (uint32_t successor : graph.nodes[node].successors) {
        some_avoid |= avoids[successor];
        some_reach |= ~avoids[successor];
      }
      for (uint64_t bits = some_avoid & some_reach & asked; bits != 0; bits &= bits - 1)
        scopes[node].push_back(first + static_cast<uint32_t>(__builtin_ctzll(bits)));
    }
  }
  return scopes;
}

}  // namespace foretell::bitcode

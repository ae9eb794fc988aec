// SPDX-License-Identifier: Apache-2.0

// The strongly connected components of a graph (Tarjan, SIAM Journal on Computing 1972), without
// recursion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace foretell::bitcode {

class Components {
 public:
  explicit Components(size_t nodes) : low_(nodes, kUnseen), done_(nodes) {}

  // Calls found(members) for every component that can be reached from `root` and was not found
  // before, with those it has edges to first. `successors(node)` is a range; `inside(node)` says
  // whether an edge to a node counts.
  template <class Successors, class Inside, class Found>
  void visit(uint32_t root, Successors successors, Inside inside, Found found) {
    if (low_[root] != kUnseen) return;
    std::vector<Frame> path = {enter(root)};
    while (!path.empty()) {
      Frame& frame = path.back();
      const auto& edges = successors(frame.node);
      if (frame.next < edges.size()) {
        const uint32_t next = edges[frame.next++];
        if (!inside(next)) continue;
        if (low_[next] == kUnseen)
          path.push_back(enter(next));
        else if (!done_[next])
          low_[frame.node] = std::min(low_[frame.node], low_[next]);
        continue;
      }
      const Frame ended = frame;
      path.pop_back();
      if (!path.empty())
        low_[path.back().node] = std::min(low_[path.back().node], low_[ended.node]);
      if (low_[ended.node] == ended.time) found(take(ended.node));
    }
  }

 private:
  static constexpr uint32_t kUnseen = std::numeric_limits<uint32_t>::max();

  struct Frame {
    uint32_t node, time;
    size_t next = 0;
  };
  Frame enter(uint32_t node) {
    low_[node] = time_;
    stack_.push_back(node);
    return {node, time_++};
  }
  std::vector<uint32_t> take(uint32_t root) {
    std::vector<uint32_t> members;
    do {
      members.push_back(stack_.back());
      done_[stack_.back()] = true;
      stack_.pop_back();
    } while (members.back() != root);
    return members;
  }

  std::vector<uint32_t> low_, stack_;
  std::vector<bool> done_;
  uint32_t time_ = 0;
};

}  // namespace foretell::bitcode

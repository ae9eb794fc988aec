// SPDX-License-Identifier: Apache-2.0

#include "analysis/deadlock/lock_cycles.h"

#include <algorithm>

#include "trace/lock_sections.h"
#include "trace/waiting.h"

namespace foretell::analysis {

std::optional<LockCycles::NodeId> LockCycles::on_event(const trace::Event& e) {
  std::optional<NodeId> node;
  // The wake of a wait with a time limit still waits for its lock.
  const bool gives_up = is_limited(e) && e.kind != trace::EventKind::WaitEnd;
  if (begins_section(e.kind) && !gives_up && held_.holds_any(e.thread)) node = node_of(e);
  held_.on_event(e);
  return node;
}

LockCycles::NodeId LockCycles::node_of(const trace::Event& acquire) {
  const bool shared = acquire.kind == trace::EventKind::AcquireShared;
  const HeldLocks::SetId held = held_.held_by(acquire.thread);
  const NodeKey key = {to_index(acquire.thread), to_index(acquire.lock()) << 1 | uint64_t{shared},
                       held, to_index(acquire.site)};
  auto [it, is_new] = node_ids_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
  if (is_new) {
    nodes_.push_back({.thread = acquire.thread, .wanted = {acquire.lock(), shared}, .held = held});
  }
  // A wake asks for its lock without a request.
  nodes_[it->second].was_asked_for |=
      held_.has_asked(acquire) || acquire.kind == trace::EventKind::WaitEnd;
  return it->second;
}

std::optional<size_t> LockCycles::for_each_cycle(const Visit& visit) {
  for (NodeId n = 0; n < nodes_.size(); ++n) {
    if (!is_usable(nodes_[n])) continue;
    for (const HeldLocks::Held& held : held_[nodes_[n].held]) holders_[held.lock].push_back(n);
    wanters_[nodes_[n].wanted.lock].push_back(n);
  }
  find_parts();
  absl::flat_hash_set<ThreadId> threads;  // in cycles
  for (NodeId n = 0; n < nodes_.size(); ++n) {
    if (part_[n] != kNoPart) threads.insert(nodes_[n].thread);
  }
  way_back_.resize(nodes_.size());
  std::vector<NodeId> path;
  has_longer_ = true;
  for (length_ = 2; has_longer_ && length_ <= threads.size(); ++length_) {
    has_longer_ = false;
    std::ranges::fill(way_back_, WayBack{});
    for (NodeId n = 0; n < nodes_.size(); ++n) {
      if (part_[n] == kNoPart) continue;
      measure_ways_back(n);
      path = {n};
      search(path, visit);
      if (steps_ > kMostSteps) return length_;
    }
  }
  return {};
}

// Strongly connected parts by Tarjan's algorithm, without recursion: a program may take thousands
// of locks one in the other. Vertices are the nodes, then the locks.
void LockCycles::find_parts() {
  struct Vertex {
    uint32_t number = 0, low = 0;  // number 0: not yet seen
    bool on_stack = false;
  };
  absl::flat_hash_map<LockId, uint32_t> lock_vertices;
  std::vector<const std::vector<NodeId>*> holders;  // by lock vertex
  for (const auto& [lock, of_lock] : holders_) {
    lock_vertices.emplace(lock, static_cast<uint32_t>(nodes_.size() + holders.size()));
    holders.push_back(&of_lock);
  }
  std::vector<Vertex> vertices(nodes_.size() + holders.size());
  part_.assign(vertices.size(), kNoPart);
  auto successor = [&](uint32_t v, size_t i) -> std::optional<uint32_t> {
    if (v >= nodes_.size()) {
      const std::vector<NodeId>& all = *holders[v - nodes_.size()];
      return i < all.size() ? std::optional(all[i]) : std::nullopt;
    }
    const auto lock = lock_vertices.find(nodes_[v].wanted.lock);
    return i == 0 && lock != lock_vertices.end() ? std::optional(lock->second) : std::nullopt;
  };
  uint32_t numbers = 0, parts = 0;
  std::vector<uint32_t> stack;                        // Tarjan's
  std::vector<std::pair<uint32_t, size_t>> visiting;  // a vertex and its next successor
  auto enter = [&](uint32_t v) {
    vertices[v] = {++numbers, numbers, true};
    stack.push_back(v);
    visiting.emplace_back(v, 0);
  };
  for (NodeId root = 0; root < nodes_.size(); ++root) {
    if (vertices[root].number != 0 || !is_usable(nodes_[root])) continue;
    enter(root);
    while (!visiting.empty()) {
      const uint32_t v = visiting.back().first;
      if (const auto next = successor(v, visiting.back().second++)) {
        if (vertices[*next].number == 0) {
          enter(*next);
        } else if (vertices[*next].on_stack) {
          vertices[v].low = std::min(vertices[v].low, vertices[*next].number);
        }
        continue;
      }
      visiting.pop_back();
      if (!visiting.empty()) {
        uint32_t& low = vertices[visiting.back().first].low;
        low = std::min(low, vertices[v].low);
      }
      if (vertices[v].low != vertices[v].number) continue;
      const bool is_alone = stack.back() == v;
      for (uint32_t member = v + 1; member != v;) {
        member = stack.back();
        stack.pop_back();
        vertices[member].on_stack = false;
        if (!is_alone) part_[member] = parts;
      }
      ++parts;
    }
  }
}

// Breadth first backwards from the first node of the paths, through nodes after it, as far as a
// path may go.
void LockCycles::measure_ways_back(NodeId first) {
  std::vector<NodeId> reached{first};
  way_back_[first] = {first, 0};
  absl::flat_hash_set<LockId> seen;
  for (size_t i = 0; i < reached.size(); ++i) {
    const uint32_t steps = way_back_[reached[i]].steps + 1;
    if (steps == length_) {
      has_longer_ = true;
      return;
    }
    for (const HeldLocks::Held& held : held_[nodes_[reached[i]].held]) {
      const auto wanters = wanters_.find(held.lock);
      if (wanters == wanters_.end() || !seen.insert(held.lock).second) continue;
      for (NodeId n : wanters->second) {
        if (n <= first || part_[n] != part_[first] || way_back_[n].to == first) continue;
        if (++steps_ > kMostSteps) return;
        way_back_[n] = {first, steps};
        reached.push_back(n);
      }
    }
  }
}

// Extends the path by nodes after its first one, so that every cycle is found once.
void LockCycles::search(std::vector<NodeId>& path, const Visit& visit) {
  const Node& last = nodes_[path.back()];
  if (path.size() == length_) {
    has_longer_ = true;
    if (held_.excludes(nodes_[path.front()].held, last.wanted)) visit(path);
    return;
  }
  const auto holders = holders_.find(last.wanted.lock);
  if (holders == holders_.end()) return;
  for (auto next = std::ranges::upper_bound(holders->second, path.front());
       next != holders->second.end(); ++next) {
    if (++steps_ > kMostSteps) return;
    const WayBack& way = way_back_[*next];
    if (way.to != path.front() || path.size() + way.steps > length_) continue;
    const Node& node = nodes_[*next];
    if (!held_.excludes(node.held, last.wanted)) continue;
    const bool fits = std::ranges::none_of(path, [&](NodeId other) {
      return nodes_[other].thread == node.thread ||
             held_.exclude_each_other(nodes_[other].held, node.held);
    });
    if (!fits) continue;
    path.push_back(*next);
    search(path, visit);
    path.pop_back();
  }
}

}  // namespace foretell::analysis

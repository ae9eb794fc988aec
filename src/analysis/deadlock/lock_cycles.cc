#include "analysis/deadlock/lock_cycles.h"

#include <algorithm>

#include "order/lock_index.h"
#include "trace/waiting.h"

namespace foretell {

std::optional<LockCycles::NodeId> LockCycles::on_event(const Event& e) {
  std::optional<NodeId> node;
  // The wake of a wait with a time limit still waits for its lock.
  const bool gives_up = is_limited(e) && e.kind != EventKind::WaitEnd;
  if (begins_section(e.kind) && !gives_up && held_.holds_any(e.thread)) node = node_of(e);
  held_.on_event(e);
  return node;
}

LockCycles::NodeId LockCycles::node_of(const Event& acquire) {
  const bool shared = acquire.kind == EventKind::AcquireShared;
  const HeldLocks::SetId held = held_.held_by(acquire.thread);
  const NodeKey key = {to_index(acquire.thread), to_index(acquire.lock()) << 1 | uint64_t{shared},
                       held, to_index(acquire.site)};
  auto [it, is_new] = node_ids_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
  if (is_new) {
    nodes_.push_back({.thread = acquire.thread, .wanted = {acquire.lock(), shared}, .held = held});
  }
  // A wake asks for its lock without a request.
  nodes_[it->second].was_asked_for |=
      held_.has_asked(acquire) || acquire.kind == EventKind::WaitEnd;
  return it->second;
}

bool LockCycles::for_each_cycle(const Visit& visit) {
  for (NodeId n = 0; n < nodes_.size(); ++n) {
    if (!is_usable(nodes_[n])) continue;
    for (const HeldLocks::Held& held : held_[nodes_[n].held]) holders_[held.lock].push_back(n);
  }
  std::vector<NodeId> path;
  for (NodeId n = 0; n < nodes_.size(); ++n) {
    if (!is_usable(nodes_[n])) continue;
    path = {n};
    search(path, visit);
  }
  return steps_ <= kMostSteps;
}

// Extends the path by nodes after its first one, so that every cycle is found once.
void LockCycles::search(std::vector<NodeId>& path, const Visit& visit) {
  const Node& last = nodes_[path.back()];
  if (path.size() > 1 && held_.excludes(nodes_[path.front()].held, last.wanted)) visit(path);
  const auto holders = holders_.find(last.wanted.lock);
  if (holders == holders_.end()) return;
  for (NodeId next : holders->second) {
    if (next <= path.front()) continue;
    if (++steps_ > kMostSteps) return;
    const Node& node = nodes_[next];
    if (!held_.excludes(node.held, last.wanted)) continue;
    const bool fits = std::ranges::none_of(path, [&](NodeId other) {
      return nodes_[other].thread == node.thread ||
             held_.exclude_each_other(nodes_[other].held, node.held);
    });
    if (!fits) continue;
    path.push_back(next);
    search(path, visit);
    path.pop_back();
  }
}

}  // namespace foretell

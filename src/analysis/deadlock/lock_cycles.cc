#include "analysis/deadlock/lock_cycles.h"

#include <algorithm>

#include "trace/waiting.h"

namespace foretell {

std::optional<LockCycles::NodeId> LockCycles::on_event(const Event& e) {
  switch (e.kind) {
    case EventKind::Request:
    case EventKind::RequestShared: {
      has_requests_ = true;
      ThreadState& thread = threads_[e.thread];
      thread.requested = e.lock();
      thread.has_request = true;
      return {};
    }
    case EventKind::Acquire:
    case EventKind::WaitEnd:
      return acquire(e, false);
    case EventKind::AcquireShared:
      return acquire(e, true);
    case EventKind::Release:
    case EventKind::ReleaseShared:
    case EventKind::WaitBegin:
      release(e);
      return {};
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      threads_[e.thread].has_request = false;  // a timed lock that gave up
      return {};
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::Fence:
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
    case EventKind::SemaphorePost:
    case EventKind::SemaphoreWait:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::User:
      return {};
  }
  return {};
}

std::optional<LockCycles::NodeId> LockCycles::acquire(const Event& e, bool shared) {
  ThreadState& thread = threads_[e.thread];
  const bool requested = thread.has_request && thread.requested == e.lock();
  if (requested) thread.has_request = false;
  const Held wanted{e.lock(), shared};
  std::optional<NodeId> number;
  // The wake of a wait with a time limit still waits for its lock.
  const bool gives_up = is_limited(e) && e.kind != EventKind::WaitEnd;
  if (!thread.held.empty() && !gives_up) {
    const uint32_t held = intern(thread.held);
    const NodeKey key = {to_index(e.thread), to_index(e.lock()) << 1 | uint64_t{shared}, held,
                         to_index(e.site)};
    auto [it, is_new] = node_ids_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
    if (is_new) nodes_.push_back({.thread = e.thread, .wanted = wanted, .held = held});
    number = it->second;
    // A wake asks for its lock without a request.
    nodes_[*number].blocks |= requested || e.kind == EventKind::WaitEnd;
  }
  thread.held.insert(std::ranges::upper_bound(thread.held, wanted), wanted);
  return number;
}

void LockCycles::release(const Event& e) {
  HeldLocks& held = threads_[e.thread].held;
  const auto it = std::ranges::find(held, e.lock(), &Held::lock);
  if (it != held.end()) held.erase(it);
}

uint32_t LockCycles::intern(const HeldLocks& held) {
  auto [it, is_new] = held_ids_.try_emplace(held, static_cast<uint32_t>(held_sets_.size()));
  if (is_new) held_sets_.push_back(held);
  return it->second;
}

bool LockCycles::holds_against(const Node& holder, const Held& wanted) const {
  return std::ranges::any_of(held_sets_[holder.held], [&](const Held& held) {
    return held.lock == wanted.lock && !(held.shared && wanted.shared);
  });
}

bool LockCycles::share_a_guard(const Node& a, const Node& b) const {
  return std::ranges::any_of(held_sets_[a.held],
                             [&](const Held& held) { return holds_against(b, held); });
}

bool LockCycles::for_each_cycle(const Visit& visit) {
  for (NodeId n = 0; n < nodes_.size(); ++n) {
    if (!is_usable(nodes_[n])) continue;
    for (const Held& held : held_sets_[nodes_[n].held]) holders_[held.lock].push_back(n);
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
  if (path.size() > 1 && holds_against(nodes_[path.front()], last.wanted)) visit(path);
  const auto holders = holders_.find(last.wanted.lock);
  if (holders == holders_.end()) return;
  for (NodeId next : holders->second) {
    if (next <= path.front()) continue;
    if (++steps_ > kMostSteps) return;
    const Node& node = nodes_[next];
    if (!holds_against(node, last.wanted)) continue;
    const bool fits = std::ranges::none_of(path, [&](NodeId other) {
      return nodes_[other].thread == node.thread || share_a_guard(nodes_[other], node);
    });
    if (!fits) continue;
    path.push_back(next);
    search(path, visit);
    path.pop_back();
  }
}

}  // namespace foretell

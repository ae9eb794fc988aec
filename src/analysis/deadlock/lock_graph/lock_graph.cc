#include "analysis/deadlock/lock_graph/lock_graph.h"

#include <algorithm>

namespace foretell {

void LockGraph::on_event(const Event& e) {
  switch (e.kind) {
    case EventKind::Request:
    case EventKind::RequestShared: {
      has_requests_ = true;
      ThreadState& thread = threads_[e.thread];
      thread.requested = e.lock();
      thread.has_request = true;
      return;
    }
    case EventKind::Acquire:
    case EventKind::WaitEnd:
      return acquire(e, false);
    case EventKind::AcquireShared:
      return acquire(e, true);
    case EventKind::Release:
    case EventKind::ReleaseShared:
    case EventKind::WaitBegin:
      return release(e);
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      threads_[e.thread].has_request = false;  // a timed lock that gave up
      return;
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
      return;
  }
}

void LockGraph::acquire(const Event& e, bool shared) {
  ThreadState& thread = threads_[e.thread];
  const bool requested = thread.has_request && thread.requested == e.lock();
  if (requested) thread.has_request = false;
  const Held wanted{e.lock(), shared};
  if (!thread.held.empty()) {
    ++nested_acquires_;
    const uint32_t held = intern(thread.held);
    const NodeKey key = {to_index(e.thread), to_index(e.lock()) << 1 | uint64_t{shared}, held,
                         to_index(e.site)};
    auto [it, is_new] = node_ids_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({.thread = e.thread, .wanted = wanted, .held = held});
    Node& node = nodes_[it->second];
    // A wake asks for its lock without a request.
    node.blocks |= requested || e.kind == EventKind::WaitEnd;
    if (node.instances.size() < kMostInstances) node.instances.push_back(EventRef::of(e));
  }
  thread.held.insert(std::ranges::upper_bound(thread.held, wanted), wanted);
}

void LockGraph::release(const Event& e) {
  HeldLocks& held = threads_[e.thread].held;
  const auto it = std::ranges::find(held, e.lock(), &Held::lock);
  if (it != held.end()) held.erase(it);
}

uint32_t LockGraph::intern(const HeldLocks& held) {
  auto [it, is_new] = held_ids_.try_emplace(held, static_cast<uint32_t>(held_sets_.size()));
  if (is_new) held_sets_.push_back(held);
  return it->second;
}

bool LockGraph::holds_against(const Node& holder, const Held& wanted) const {
  return std::ranges::any_of(held_sets_[holder.held], [&](const Held& held) {
    return held.lock == wanted.lock && !(held.shared && wanted.shared);
  });
}

bool LockGraph::share_a_guard(const Node& a, const Node& b) const {
  return std::ranges::any_of(held_sets_[a.held],
                             [&](const Held& held) { return holds_against(b, held); });
}

void LockGraph::finish() {
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (!is_usable(nodes_[n])) continue;
    for (const Held& held : held_sets_[nodes_[n].held]) holders_[held.lock].push_back(n);
  }
  Path path;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (!is_usable(nodes_[n])) continue;
    path = {n};
    search(path);
  }
}

// Extends the path by nodes after its first one, so that every cycle is found once.
void LockGraph::search(Path& path) {
  const Node& last = nodes_[path.back()];
  if (path.size() > 1 && holds_against(nodes_[path.front()], last.wanted)) propose(path);
  const auto holders = holders_.find(last.wanted.lock);
  if (holders == holders_.end()) return;
  for (uint32_t next : holders->second) {
    if (next <= path.front()) continue;
    if (++steps_ > kMostSteps) return;
    const Node& node = nodes_[next];
    if (!holds_against(node, last.wanted)) continue;
    const bool fits = std::ranges::none_of(path, [&](uint32_t other) {
      return nodes_[other].thread == node.thread || share_a_guard(nodes_[other], node);
    });
    if (!fits) continue;
    path.push_back(next);
    search(path);
    path.pop_back();
  }
}

// Every choice of instances of the cycle's nodes, the earliest ones first.
void LockGraph::propose(const Path& cycle) {
  ++cycles_;
  std::vector<size_t> choice(cycle.size());
  for (;;) {
    if (++proposals_ > kMostProposals) return;
    Proposal proposal{.kind = FindingKind::deadlock};
    for (size_t i = 0; i < cycle.size(); ++i) {
      proposal.events.push_back(nodes_[cycle[i]].instances[choice[i]]);
    }
    sink_.propose_other(std::move(proposal));
    size_t i = 0;
    while (i < cycle.size() && ++choice[i] == nodes_[cycle[i]].instances.size()) choice[i++] = 0;
    if (i == cycle.size()) return;
  }
}

void LockGraph::report_counters(CounterSink& sink) const {
  sink.count("nested acquire", nested_acquires_);
  sink.count("different ones", nodes_.size());
  sink.count("cycle", cycles_);
  if (steps_ > kMostSteps) sink.count("search cut off", 1);
  if (proposals_ > kMostProposals) sink.count("proposals cut off", 1);
}

}  // namespace foretell

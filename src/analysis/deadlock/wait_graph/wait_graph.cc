#include "analysis/deadlock/wait_graph/wait_graph.h"

#include <algorithm>

#include "trace/waiting.h"

namespace foretell {

void WaitGraph::on_event(const Event& e) {
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
    case EventKind::Join:
    case EventKind::BarrierExit:
      if (!is_limited(e)) wait(e, true);
      return;
    case EventKind::SemaphoreWait:
      if (!is_limited(e) && e.partner() != kNoEvent) wait(e, true);
      return;
    case EventKind::SemaphorePost:
      return note_helper(posts_, e);
    case EventKind::BarrierEnter:
      return note_helper(enters_, e);
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return note_helper(notifies_, e);
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::Fork:
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::Fence:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::User:
      return;
  }
}

void WaitGraph::note_helper(Helps& helps, const Event& e) {
  helps[{e.object, e.thread}] = e.index;
}

void WaitGraph::acquire(const Event& e, bool shared) {
  ThreadState& thread = threads_[e.thread];
  const bool requested = thread.has_request && thread.requested == e.lock();
  if (requested) thread.has_request = false;
  if (e.kind != EventKind::WaitEnd) {
    if (!is_limited(e)) wait(e, requested);
  } else if (e.partner() != kNoEvent) {
    wait(e, true);
  }
  const Held taken{e.lock(), shared};
  HeldLocks& held = threads_[e.thread].held;
  held.insert(std::ranges::upper_bound(held, taken), taken);
}

void WaitGraph::release(const Event& e) {
  HeldLocks& held = threads_[e.thread].held;
  const auto it = std::ranges::find(held, e.lock(), &Held::lock);
  if (it != held.end()) held.erase(it);
}

void WaitGraph::wait(const Event& e, bool blocks) {
  ++waits_;
  ThreadState& thread = threads_[e.thread];
  const uint32_t held = intern(thread.held);
  const bool takes_lock = e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared ||
                          e.kind == EventKind::WaitEnd;
  const NodeKey key = {to_index(e.thread) << 8 | to_index(e.kind), e.object, held, to_index(e.site),
                       takes_lock ? to_index(e.lock()) : 0};
  auto [it, is_new] = node_ids_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    thread.nodes.push_back(it->second);
    nodes_.push_back({.thread = e.thread,
                      .kind = e.kind,
                      .object = e.object,
                      .held = held,
                      .blocks = false,
                      .lock = takes_lock ? e.lock() : LockId{}});
  }
  Node& node = nodes_[it->second];
  node.blocks |= blocks;
  const bool served = e.kind == EventKind::WaitEnd || e.kind == EventKind::SemaphoreWait;
  if (node.instances.size() == kFirstInstances + kLastInstances) {
    node.instances.erase(node.instances.begin() + kFirstInstances);
  }
  node.instances.push_back({.event = EventRef::of(e),
                            .server = served ? e.partner() : kNoEvent,
                            .generation = e.kind == EventKind::BarrierExit ? e.generation() : 0});
}

uint32_t WaitGraph::intern(const HeldLocks& held) {
  auto [it, is_new] = held_ids_.try_emplace(held, static_cast<uint32_t>(held_sets_.size()));
  if (is_new) held_sets_.push_back(held);
  return it->second;
}

bool WaitGraph::holds(const Node& holder, LockId lock, bool shared) const {
  return std::ranges::any_of(held_sets_[holder.held], [&](const Held& held) {
    return held.lock == lock && !(held.shared && shared);
  });
}

bool WaitGraph::share_a_guard(const Node& a, const Node& b) const {
  return std::ranges::any_of(held_sets_[a.held],
                             [&](const Held& held) { return holds(b, held.lock, held.shared); });
}

const WaitGraph::Helps* WaitGraph::helps_of(EventKind kind) const {
  if (kind == EventKind::SemaphoreWait) return &posts_;
  if (kind == EventKind::BarrierExit) return &enters_;
  if (kind == EventKind::WaitEnd) return &notifies_;
  return nullptr;
}

bool WaitGraph::waits_for(const Node& node, const Instance&, const Node& other,
                          const Instance& stopped_at) const {
  if (node.thread == other.thread) return false;
  if (node.kind == EventKind::Join) return node.object == static_cast<uint32_t>(other.thread);
  const bool takes_lock = is_acquire_node(node) || node.kind == EventKind::WaitEnd;
  if (takes_lock && holds(other, node.lock, node.kind == EventKind::AcquireShared)) return true;
  const Helps* helps = helps_of(node.kind);
  if (helps == nullptr) return false;
  const auto last = helps->find({node.object, other.thread});
  return last != helps->end() && last->second > stopped_at.event.index;
}

bool WaitGraph::may_wait_for(const Node& node, const Node& other) const {
  return waits_for(node, node.instances.front(), other, other.instances.front());
}

// Nodes that may keep this one waiting, and maybe others.
std::vector<uint32_t> WaitGraph::candidates(const Node& node) {
  std::vector<uint32_t> found;
  auto add_thread = [&](ThreadId thread) {
    const std::vector<uint32_t>& nodes = threads_[thread].nodes;
    found.insert(found.end(), nodes.begin(), nodes.end());
  };
  if (node.kind == EventKind::Join) {
    if (node.object < threads_.size()) add_thread(ThreadId{node.object});
    return found;
  }
  if (is_acquire_node(node) || node.kind == EventKind::WaitEnd) {
    if (auto it = holders_.find(node.lock); it != holders_.end()) found = it->second;
  }
  const auto& helpers = node.kind == EventKind::SemaphoreWait ? posters_
                        : node.kind == EventKind::BarrierExit ? enterers_
                                                              : notifiers_;
  if (is_acquire_node(node)) return found;
  if (auto it = helpers.find(node.object); it != helpers.end()) {
    for (ThreadId thread : it->second) add_thread(thread);
  }
  std::ranges::sort(found);
  const auto rest = std::ranges::unique(found);
  found.erase(rest.begin(), rest.end());
  return found;
}

void WaitGraph::finish() {
  auto gather = [](const Helps& helps, auto& threads_of) {
    for (const auto& [what, last] : helps) threads_of[what.first].push_back(what.second);
    for (auto& [object, threads] : threads_of) std::ranges::sort(threads);
  };
  gather(posts_, posters_);
  gather(enters_, enterers_);
  gather(notifies_, notifiers_);
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (!is_usable(nodes_[n])) continue;
    for (const Held& held : held_sets_[nodes_[n].held]) holders_[held.lock].push_back(n);
  }
  for (most_threads_ = 1; most_threads_ <= kMostThreads; ++most_threads_) {
    steps_ = 0;
    seen_.clear();
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      if (is_acquire_node(nodes_[n])) continue;
      Set set{n};
      search(set);
    }
  }
}

// `set` begins with its first node that is no acquire.
void WaitGraph::search(Set& set) {
  Set sorted = set;
  std::ranges::sort(sorted);
  if (!seen_.insert(std::move(sorted)).second) return;
  auto is_kept_waiting = [&](uint32_t n) {
    return nodes_[n].kind == EventKind::WaitEnd || std::ranges::any_of(set, [&](uint32_t other) {
             return may_wait_for(nodes_[n], nodes_[other]);
           });
  };
  const auto open = std::ranges::find_if_not(set, is_kept_waiting);
  if (set.size() == most_threads_) {
    if (open == set.end()) propose(set);
    return;
  }
  if (open != set.end()) return extend(set, nodes_[*open]);
  // Others may be able to help who are then stuck as well.
  const Set members = set;
  for (uint32_t n : members) {
    if (!is_acquire_node(nodes_[n])) extend(set, nodes_[n]);
  }
}

void WaitGraph::extend(Set& set, const Node& waiting) {
  for (uint32_t next : candidates(waiting)) {
    if (++steps_ > kMostSteps) {
      cut_off_ = true;
      return;
    }
    const Node& node = nodes_[next];
    if (!is_usable(node) || (!is_acquire_node(node) && next <= set.front())) continue;
    if (!may_wait_for(waiting, node)) continue;
    const bool fits = std::ranges::none_of(set, [&](uint32_t other) {
      return nodes_[other].thread == node.thread || share_a_guard(nodes_[other], node);
    });
    if (!fits) continue;
    set.push_back(next);
    search(set);
    set.pop_back();
  }
}

// Whether these instances may keep each other waiting. A down is served by its own post, so that
// one has not happened.
bool WaitGraph::fits(const Set& set, std::span<const size_t> choice) const {
  for (size_t i = 0; i < set.size(); ++i) {
    const Node& node = nodes_[set[i]];
    const Instance& at = node.instances[choice[i]];
    bool waits = node.kind == EventKind::WaitEnd;
    for (size_t j = 0; j < set.size() && !waits; ++j) {
      const Node& other = nodes_[set[j]];
      const Instance& stopped_at = other.instances[choice[j]];
      waits = waits_for(node, at, other, stopped_at);
      if (node.kind == EventKind::SemaphoreWait) waits &= stopped_at.event.index < at.server;
    }
    if (!waits) return false;
  }
  return true;
}

void WaitGraph::propose(const Set& set) {
  ++sets_;
  std::vector<size_t> choice(set.size());
  for (;;) {
    if (fits(set, choice)) {
      if (++proposals_ > kMostProposals) return;
      Proposal proposal{.kind = FindingKind::deadlock};
      for (size_t i = 0; i < set.size(); ++i) {
        proposal.events.push_back(nodes_[set[i]].instances[choice[i]].event);
      }
      sink_.propose_other(std::move(proposal));
    }
    size_t i = 0;
    while (i < set.size() && ++choice[i] == nodes_[set[i]].instances.size()) choice[i++] = 0;
    if (i == set.size()) return;
  }
}

void WaitGraph::report_counters(CounterSink& sink) const {
  sink.count("event that may wait", waits_);
  sink.count("different ones", nodes_.size());
  sink.count("set that waits for each other", sets_);
  if (cut_off_) sink.count("search cut off", 1);
  if (proposals_ > kMostProposals) sink.count("proposals cut off", 1);
}

}  // namespace foretell

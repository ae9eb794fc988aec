#include "analysis/deadlock/wait_graph/wait_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/deadlock/instance_choices.h"
#include "order/lock_index.h"
#include "trace/waiting.h"

namespace foretell {

void WaitGraph::on_event(const Event& e) {
  switch (e.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
    case EventKind::Join:
    case EventKind::BarrierExit:
      if (!is_limited(e)) wait(e);
      break;
    case EventKind::SemaphoreWait:
      if (!is_limited(e) && e.partner() != kNoEvent) wait(e);
      break;
    case EventKind::WaitEnd:
      // One with a time limit still waits for its lock.
      if (e.partner() != kNoEvent) wait(e);
      break;
    case EventKind::SemaphorePost:
      note_helper(posts_, e);
      break;
    case EventKind::BarrierEnter:
      note_helper(enters_, e);
      break;
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      note_helper(notifies_, e);
      break;
    case EventKind::Request:
    case EventKind::RequestShared:
    case EventKind::Release:
    case EventKind::ReleaseShared:
    case EventKind::TryFail:
    case EventKind::TryFailShared:
    case EventKind::WaitBegin:
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
      break;
  }
  held_.on_event(e);
}

void WaitGraph::note_helper(Helps& helps, const Event& e) {
  helps[{e.object, e.thread}] = e.index;
}

void WaitGraph::wait(const Event& e) {
  ++waits_;
  const HeldLocks::SetId held = held_.held_by(e.thread);
  const bool takes_lock = begins_section(e.kind);
  const NodeKey key = {to_index(e.thread) << 8 | to_index(e.kind), e.object, held, to_index(e.site),
                       takes_lock ? to_index(e.lock()) : 0};
  auto [it, is_new] = node_ids_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    nodes_of_[e.thread].push_back(it->second);
    Node& node = nodes_.emplace_back();
    node.thread = e.thread;
    node.kind = e.kind;
    node.object = e.object;
    node.held = held;
    if (takes_lock) node.wanted = {e.lock(), e.kind == EventKind::AcquireShared};
  }
  Node& node = nodes_[it->second];
  node.may_block |= !is_acquire_node(node) || held_.has_asked(e);
  const bool served = e.kind == EventKind::WaitEnd || e.kind == EventKind::SemaphoreWait;
  if (node.instances.size() == kFirstInstances + kLastInstances) {
    node.instances.erase(node.instances.begin() + kFirstInstances);
  }
  node.instances.push_back({EventRef::of(e), served ? e.partner() : kNoEvent});
}

const WaitGraph::Helps* WaitGraph::helps_of(EventKind kind) const {
  if (kind == EventKind::SemaphoreWait) return &posts_;
  if (kind == EventKind::BarrierExit) return &enters_;
  if (kind == EventKind::WaitEnd) return &notifies_;
  return nullptr;
}

bool WaitGraph::waits_for(const Node& node, const Node& other, const Instance& stopped_at) const {
  if (node.thread == other.thread) return false;
  if (node.kind == EventKind::Join) return node.object == static_cast<uint32_t>(other.thread);
  if (begins_section(node.kind) && held_.excludes(other.held, node.wanted)) return true;
  const Helps* helps = helps_of(node.kind);
  if (helps == nullptr) return false;
  const auto last = helps->find({node.object, other.thread});
  return last != helps->end() && last->second > stopped_at.event.index;
}

bool WaitGraph::may_wait_for(const Node& node, const Node& other) const {
  return waits_for(node, other, other.instances.front());
}

// Nodes that may keep this one waiting, and maybe others.
std::vector<uint32_t> WaitGraph::candidates(const Node& node) {
  std::vector<uint32_t> found;
  auto add_thread = [&](ThreadId thread) {
    const std::vector<uint32_t>& nodes = nodes_of_[thread];
    found.insert(found.end(), nodes.begin(), nodes.end());
  };
  if (node.kind == EventKind::Join) {
    if (node.object < nodes_of_.size()) add_thread(ThreadId{node.object});
    return found;
  }
  if (begins_section(node.kind)) {
    if (auto it = holders_.find(node.wanted.lock); it != holders_.end()) found = it->second;
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
    for (const HeldLocks::Held& held : held_[nodes_[n].held]) holders_[held.lock].push_back(n);
  }
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (!is_acquire_node(nodes_[n])) pending(1).push_back({n});
  }
  search_needed();
  search_all();
}

std::vector<WaitGraph::Set>& WaitGraph::pending(size_t size) {
  if (size >= pending_.size()) {
    pending_.resize(size + 1);
    closed_.resize(size + 1);
  }
  return pending_[size];
}

// Only sets in which each node but the first is there because another one waits for it and for no
// other: few, so that also large ones are met.
void WaitGraph::search_needed() {
  for (size_t size = 1; size < pending_.size(); ++size) {
    while (!pending_[size].empty()) {
      if (steps_ > kMostSteps / 2) return;
      Set set = std::move(pending_[size].back());
      pending_[size].pop_back();
      look_at(std::move(set));
    }
  }
}

// All sets, small ones first: others may be able to help who are then stuck as well.
void WaitGraph::search_all() {
  for (size_t size = 1; size < pending_.size(); ++size) {
    while (!pending_[size].empty() || !closed_[size].empty()) {
      if (steps_ > kMostSteps) {
        cut_off_at_ = size;
        return;
      }
      if (!pending_[size].empty()) {
        Set set = std::move(pending_[size].back());
        pending_[size].pop_back();
        look_at(std::move(set));
        continue;
      }
      const Set set = std::move(closed_[size].back());
      closed_[size].pop_back();
      for (uint32_t n : set) {
        if (!is_acquire_node(nodes_[n])) extend(set, nodes_[n]);
      }
    }
  }
}

// `set` begins with its first node that is no acquire.
void WaitGraph::look_at(Set set) {
  Set sorted = set;
  std::ranges::sort(sorted);
  if (!seen_.insert(std::move(sorted)).second) return;
  auto is_kept_waiting = [&](uint32_t n) {
    return nodes_[n].kind == EventKind::WaitEnd || std::ranges::any_of(set, [&](uint32_t other) {
             return may_wait_for(nodes_[n], nodes_[other]);
           });
  };
  const auto open = std::ranges::find_if_not(set, is_kept_waiting);
  if (open != set.end()) return extend(set, nodes_[*open]);
  propose(set);
  closed_[set.size()].push_back(std::move(set));
}

void WaitGraph::extend(const Set& set, const Node& waiting) {
  for (uint32_t next : candidates(waiting)) {
    ++steps_;
    const Node& node = nodes_[next];
    if (!is_usable(node) || (!is_acquire_node(node) && next <= set.front())) continue;
    if (!may_wait_for(waiting, node)) continue;
    const bool fits = std::ranges::none_of(set, [&](uint32_t other) {
      return nodes_[other].thread == node.thread ||
             held_.exclude_each_other(nodes_[other].held, node.held);
    });
    if (!fits) continue;
    steps_ += 3;  // the set is kept, so that steps bound the memory, too
    Set larger = set;
    larger.push_back(next);
    pending(larger.size()).push_back(std::move(larger));
  }
}

// Whether these instances may all keep each other waiting, directly or through others.
bool WaitGraph::fits(const Set& set, std::span<const size_t> choice) const {
  auto at = [&](size_t i) -> const Instance& { return nodes_[set[i]].instances[choice[i]]; };
  auto waits = [&](size_t i, size_t j) { return waits_for(nodes_[set[i]], nodes_[set[j]], at(j)); };
  for (size_t i = 0; i < set.size(); ++i) {
    std::vector<size_t> reached{i};
    bool is_served = nodes_[set[i]].kind == EventKind::SemaphoreWait;
    for (size_t k = 0; k < reached.size(); ++k) {
      for (size_t j = 0; j < set.size(); ++j) {
        if (!waits(reached[k], j)) continue;
        // A down is served by its own post, so that one has not happened.
        if (k == 0 && at(j).event.index < at(i).server) is_served = false;
        if (std::ranges::find(reached, j) == reached.end()) reached.push_back(j);
      }
    }
    if (is_served || reached.size() != set.size()) return false;
  }
  return true;
}

void WaitGraph::propose(const Set& set) {
  ++sets_;
  std::vector<std::vector<EventIndex>> when(set.size());
  for (size_t i = 0; i < set.size(); ++i) {
    for (const Instance& at : nodes_[set[i]].instances) when[i].push_back(at.event.index);
  }
  const bool all = InstanceChoices(std::move(when)).for_each([&](const auto& choice) {
    steps_ += set.size();
    if (!fits(set, choice)) return true;
    if (++proposals_ > kMostProposals) return false;
    Proposal proposal{.kind = FindingKind::deadlock};
    for (size_t i = 0; i < set.size(); ++i) {
      proposal.events.push_back(nodes_[set[i]].instances[choice[i]].event);
    }
    sink_.propose_other(std::move(proposal));
    return true;
  });
  if (!all) ++not_all_choices_;
}

void WaitGraph::report_counters(CounterSink& sink) const {
  sink.count("event that may wait", waits_);
  sink.count("different ones", nodes_.size());
  sink.count("set that waits for each other", sets_);
  sink.count("search step", steps_);
  if (not_all_choices_ > 0) sink.count("set with too many instances", not_all_choices_);
  if (cut_off_at_) {
    sink.count("search cut off", 1);
    sink.left_out(
        fmt::format("all sets of {} and more threads that wait for each other: the "
                    "search was cut off after {} steps",
                    *cut_off_at_, kMostSteps));
  }
  if (proposals_ > kMostProposals) {
    sink.count("proposals cut off", 1);
    sink.left_out(fmt::format("all choices of waits: there are more than {}", kMostProposals));
  }
}

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

#include "analysis/deadlock/wait_graph/wait_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/event_match.h"
#include "trace/lock_sections.h"
#include "trace/waiting.h"

namespace foretell::analysis {

void WaitGraph::on_event(const trace::Event& e) {
  using enum trace::EventKind;
  match(e.kind, trace::Cases{
                    trace::on<trace::EventClass::acquire, Join, BarrierExit>([&] {
                      if (!is_limited(e)) wait(e);
                    }),
                    trace::on<SemaphoreWait>([&] {
                      if (!is_limited(e) && e.partner() != kNoEvent) wait(e);
                    }),
                    trace::on<WaitEnd>([&] {
                      // One with a time limit still waits for its lock.
                      if (e.partner() != kNoEvent) wait(e);
                    }),
                    trace::on<SemaphorePost>([&] { note_helper(posts_, e); }),
                    trace::on<BarrierEnter>([&] { note_helper(enters_, e); }),
                    trace::on<trace::kNotifies>([&] { note_helper(notifies_, e); }),
                    trace::ignored<trace::kAccesses, Alloc, Fence, trace::kRequests,
                                   trace::kFailedTries, trace::kSectionEnds, Fork, trace::kRemarks>,
                });
  held_.on_event(e);
}

void WaitGraph::note_helper(Helps& helps, const trace::Event& e) {
  helps[{e.object, e.thread}] = e.index;
}

void WaitGraph::wait(const trace::Event& e) {
  ++waits_;
  const HeldLocks::SetId held = held_.held_by(e.thread);
  const bool takes_lock = begins_section(e.kind);
  const NodeKey key = {to_index(e.thread) << 8 | to_index(e.kind), e.object, held, to_index(e.site),
                       takes_lock ? to_index(e.lock()) : 0};
  auto [it, is_new] = node_ids_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    Node& node = nodes_.emplace_back();
    node.thread = e.thread;
    node.kind = e.kind;
    node.object = e.object;
    node.held = held;
    if (takes_lock) node.wanted = {e.lock(), e.kind == trace::EventKind::AcquireShared};
  }
  Node& node = nodes_[it->second];
  node.may_block |= !is_acquire_node(node) || held_.has_asked(e);
  const bool served =
      e.kind == trace::EventKind::WaitEnd || e.kind == trace::EventKind::SemaphoreWait;
  if (node.instances.size() == kFirstInstances + kLastInstances) {
    node.instances.erase(node.instances.begin() + kFirstInstances);
  }
  node.instances.push_back({finding::EventRef::of(e), served ? e.partner() : kNoEvent});
}

const WaitGraph::Helps* WaitGraph::helps_of(trace::EventKind kind) const {
  if (kind == trace::EventKind::SemaphoreWait) return &posts_;
  if (kind == trace::EventKind::BarrierExit) return &enters_;
  if (kind == trace::EventKind::WaitEnd) return &notifies_;
  return nullptr;
}

bool WaitGraph::waits_for(const Node& node, const Instance& waiting, const Node& other,
                          const Instance& stopped_at) const {
  if (node.thread == other.thread) return false;
  // All have entered before the first leaves.
  if (node.kind == trace::EventKind::BarrierExit && stopped_at.event.index > waiting.event.index)
    return false;
  if (node.kind == trace::EventKind::Join)
    return node.object == static_cast<uint32_t>(other.thread);
  if (begins_section(node.kind) && held_.excludes(other.held, node.wanted)) return true;
  const Helps* helps = helps_of(node.kind);
  if (helps == nullptr) return false;
  const auto last = helps->find({node.object, other.thread});
  return last != helps->end() && last->second > stopped_at.event.index;
}

bool WaitGraph::may_wait_for(const Node& node, const Node& other) const {
  return waits_for(node, node.instances.back(), other, other.instances.front());
}

void WaitGraph::index_nodes() {
  absl::flat_hash_map<uint32_t, std::vector<ThreadId>> posters, enterers, notifiers;
  auto gather = [](const Helps& helps, auto& threads_of) {
    for (const auto& [what, last] : helps) threads_of[what.first].push_back(what.second);
    for (auto& [object, threads] : threads_of) std::ranges::sort(threads);
  };
  gather(posts_, posters);
  gather(enters_, enterers);
  gather(notifies_, notifiers);
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (!is_usable(node)) continue;
    if (begins_section(node.kind)) wanters_[node.wanted.lock].push_back(n);
    if (is_acquire_node(node)) continue;
    if (node.kind == trace::EventKind::Join) {
      waits_on_[ThreadId{node.object}].push_back(n);
      continue;
    }
    const auto& helpers = node.kind == trace::EventKind::SemaphoreWait ? posters
                          : node.kind == trace::EventKind::BarrierExit ? enterers
                                                                       : notifiers;
    const auto it = helpers.find(node.object);
    if (it == helpers.end()) continue;
    for (ThreadId thread : it->second) waits_on_[thread].push_back(n);
  }
}

void WaitGraph::finish() {
  index_nodes();
  absl::flat_hash_set<ThreadId> threads;
  for (const Node& node : nodes_) threads.insert(node.thread);
  closed_.resize(threads.size() + 1);
  most_steps_ = kMostSteps / 2;
  search_cycles();
  most_steps_ = kMostSteps;
  search_ears();
}

void WaitGraph::search_cycles() {
  has_longer_ = true;
  for (size_t size = 1; has_longer_ && size < closed_.size(); ++size) {
    has_longer_ = false;
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      if (is_acquire_node(nodes_[n])) continue;
      Set set{n};
      if (size > 1) {
        extend(set, 1, size);
      } else if (nodes_[n].kind == trace::EventKind::WaitEnd) {
        close(std::move(set), 1);
      } else {
        has_longer_ = true;
      }
      if (steps_ > most_steps_) {
        cut_off_at_ = size;
        return;
      }
    }
    has_longer_ |= size == 1;
  }
}

// Others may be able to help who are then stuck as well.
void WaitGraph::search_ears() {
  for (size_t size = 3; size < closed_.size(); ++size) {
    for (size_t core = 2; core < size; ++core) {
      for (size_t i = 0; i < closed_[core].size(); ++i) {
        Set set = closed_[core][i];
        extend(set, core, size);
        if (steps_ > most_steps_) {
          cut_off_at_ = std::min(cut_off_at_.value_or(size), size);
          return;
        }
      }
    }
  }
}

// The first `core` nodes of the set wait for each other. What comes after them is an ear under way:
// the first of it waits for one of the core, each other one for the one before it. At the wanted
// size somebody of the core has to wait for the last one.
void WaitGraph::extend(Set& set, size_t core, size_t size) {
  if (set.size() == size) {
    has_longer_ = true;
    auto waits_for_last = [&](uint32_t n) {
      return !is_acquire_node(nodes_[n]) && may_wait_for(nodes_[n], nodes_[set.back()]);
    };
    if (std::ranges::any_of(std::span(set).first(core), waits_for_last)) close(set, core);
    return;
  }
  const size_t first = set.size() == core ? 0 : set.size() - 1, end = set.size();
  for (size_t i = first; i < end; ++i) {
    const Node& waited_for = nodes_[set[i]];
    for (const HeldLocks::Held& held : held_[waited_for.held]) {
      const auto wanters = wanters_.find(held.lock);
      if (wanters == wanters_.end()) continue;
      for (uint32_t next : wanters->second) {
        if (!try_next(set, i, next, core, size)) return;
      }
    }
    const auto waiting = waits_on_.find(waited_for.thread);
    if (waiting == waits_on_.end()) continue;
    for (uint32_t next : waiting->second) {
      if (!try_next(set, i, next, core, size)) return;
    }
  }
}

// With `next`, which may wait for the i-th of the set. False when the time is over.
bool WaitGraph::try_next(Set& set, size_t i, uint32_t next, size_t core, size_t size) {
  if (++steps_ > most_steps_) return false;
  const Node& node = nodes_[next];
  // A set is found from its first node that is no acquire.
  if (!is_acquire_node(node) && next <= set.front()) return true;
  if (!may_wait_for(node, nodes_[set[i]])) return true;
  const bool fits = std::ranges::none_of(set, [&](uint32_t other) {
    return nodes_[other].thread == node.thread ||
           held_.exclude_each_other(nodes_[other].held, node.held);
  });
  if (!fits) return true;
  set.push_back(next);
  extend(set, core, size);
  set.pop_back();
  return true;
}

// A cycle was found backwards: then each waits for the next one, as people read it.
void WaitGraph::close(Set set, size_t core) {
  Set sorted = set;
  std::ranges::sort(sorted);
  if (seen_.contains(sorted)) return;
  std::vector<SiteId> sites;
  for (uint32_t n : set) sites.push_back(nodes_[n].instances.front().event.site);
  const size_t wanted = quota_.of_next(std::move(sites));
  if (wanted == 0) {
    ++alike_;
    return;
  }
  seen_.insert(std::move(sorted));
  if (core == 1) std::reverse(set.begin() + 1, set.end());
  propose(set, wanted);
  closed_[set.size()].push_back(std::move(set));
}

// Whether these instances may all keep each other waiting, directly or through others.
bool WaitGraph::fits(const Set& set, std::span<const size_t> choice) const {
  auto at = [&](size_t i) -> const Instance& { return nodes_[set[i]].instances[choice[i]]; };
  auto waits = [&](size_t i, size_t j) {
    return waits_for(nodes_[set[i]], at(i), nodes_[set[j]], at(j));
  };
  for (size_t i = 0; i < set.size(); ++i) {
    std::vector<size_t> reached{i};
    bool is_served = nodes_[set[i]].kind == trace::EventKind::SemaphoreWait;
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

void WaitGraph::propose(const Set& set, size_t wanted) {
  ++sets_;
  std::vector<std::vector<EventIndex>> when(set.size());
  for (size_t i = 0; i < set.size(); ++i) {
    for (const Instance& at : nodes_[set[i]].instances) when[i].push_back(at.event.index);
  }
  const bool all = InstanceChoices(std::move(when))
                       .for_each(
                           [&](const auto& choice) {
                             steps_ += set.size();
                             if (!fits(set, choice)) return true;
                             if (++proposals_ > kMostProposals) return false;
                             finding::Proposal proposal{.kind = finding::FindingKind::deadlock};
                             for (size_t i = 0; i < set.size(); ++i) {
                               proposal.events.push_back(nodes_[set[i]].instances[choice[i]].event);
                             }
                             sink_.propose(std::move(proposal));
                             return true;
                           },
                           wanted);
  if (!all) ++not_all_choices_;
}

void WaitGraph::report_counters(CounterSink& sink) const {
  sink.count("event that may wait", waits_);
  sink.count("different ones", nodes_.size());
  sink.count("set that waits for each other", sets_);
  sink.count("search step", steps_);
  if (alike_ > 0) sink.count("set at the same places as others", alike_);
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

}  // namespace foretell::analysis

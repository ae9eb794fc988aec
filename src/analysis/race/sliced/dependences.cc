// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/sliced/dependences.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "base/dense_table.h"
#include "trace/lock_sections.h"

namespace foretell::analysis::sliced {

class Dependences::Builder {
 public:
  Builder(Dependences& result, std::span<const trace::Event> events, Statements& statements,
          const AllocationOf& allocation_of)
      : result_(result), events_(events), statements_(statements), allocation_of_(allocation_of) {}

  void run() {
    result_.first_control_.push_back(0);
    // A table that grows moves its rows.
    for (const trace::Event& e : events_) {
      threads_[e.thread];
      if (operands_of(e.kind) == trace::Operands::Thread) threads_[e.other_thread()];
    }
    for (size_t i = 0; i < events_.size(); ++i) {
      const trace::Event& e = events_[i];
      Thread& thread = threads_[e.thread];
      control_.clear();
      data_.clear();
      find_control(e, thread);
      if (is_read(e.kind)) find_data_of_read(e, thread);
      if (!is_read(e.kind) || is_write(e.kind)) find_data_of_value(e, thread);
      const Node node = add_node(static_cast<uint32_t>(i));
      result_.node_of_.push_back(node);
      remember(e, node, thread);
    }
  }

 private:
  // The latest evaluation of a statement: events with no other one of the thread between.
  struct Evaluation {
    std::vector<Node> events;
  };
  struct Frame {
    Node call = kNoNode;
    absl::flat_hash_map<SiteId, Evaluation> latest;
  };
  // All nodes added so far; those since the last history node are pending.
  struct History {
    Node all = kNoNode;
    std::vector<Node> pending;
  };
  struct HeldLock {
    LockId lock;
    Node acquire;
  };
  struct Thread {
    Node fork = kNoNode, last = kNoNode, blocking = kNoNode;
    SiteId last_site = kNoSite;
    std::vector<Frame> frames = std::vector<Frame>(1);
    std::vector<HeldLock> held;
    History reads;
    absl::flat_hash_map<SiteId, History> evaluations;
  };

  void find_control(const trace::Event& e, Thread& thread) {
    Frame& frame = thread.frames.back();
    depend(control_, frame.call);
    depend(control_, thread.fork);
    depend(control_, thread.blocking);
    for (const HeldLock& held : thread.held) depend(control_, held.acquire);
    if (e.site == kNoSite || !statements_.is_known(e.site)) {
      depend(control_, node_of(thread.reads));
    } else {
      for (SiteId controller : statements_.controllers(e.site)) {
        const auto latest = frame.latest.find(controller);
        if (latest == frame.latest.end()) continue;
        for (Node node : latest->second.events) depend(control_, node);
      }
    }
    find_waited_for(e);
    if (is_access(e.kind) && allocation_of_) {
      const auto alloc = allocations_.find(allocation_of_(e.location()));
      if (alloc != allocations_.end()) depend(control_, alloc->second);
    }
  }

  void find_waited_for(const trace::Event& e) {
    if (e.kind == trace::EventKind::Join) {
      depend(control_, threads_[e.other_thread()].last);
    } else if (e.kind == trace::EventKind::WaitEnd || e.kind == trace::EventKind::SemaphoreWait) {
      const auto server = servers_.find(e.partner());
      if (server != servers_.end()) depend(control_, server->second);
    } else if (e.kind == trace::EventKind::BarrierExit) {
      for (Node enter : enters_[{e.barrier(), e.generation()}]) depend(control_, enter);
    }
  }

  void find_data_of_read(const trace::Event& e, Thread& thread) {
    const auto write = last_write_.find(e.location());
    if (write != last_write_.end()) depend(data_, write->second);
    for (SiteId changer : statements_.changers(e.location())) {
      if (e.site != kNoSite && statements_.is_in_scope(e.site, changer)) continue;
      const auto evaluations = thread.evaluations.find(changer);
      if (evaluations != thread.evaluations.end()) depend(data_, node_of(evaluations->second));
    }
  }

  // Of a write, a branch, or whatever else has a value that is computed.
  void find_data_of_value(const trace::Event& e, Thread& thread) {
    if (e.site == kNoSite || !statements_.is_known(e.site)) {
      return depend(data_, node_of(thread.reads));
    }
    for (SiteId used : statements_.uses(e.site)) {
      // The nearest activation that has evaluated it: an argument may come from the caller.
      for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame) {
        const auto it = frame->latest.find(used);
        if (it == frame->latest.end()) continue;
        for (Node node : it->second.events) {
          if (is_read(events_[result_.event_of(node)].kind)) depend(data_, node);
        }
        break;
      }
    }
  }

  void remember(const trace::Event& e, Node node, Thread& thread) {
    if (is_read(e.kind)) thread.reads.pending.push_back(node);
    if (is_write(e.kind)) last_write_[e.location()] = node;
    if (e.site != kNoSite) {
      Evaluation& evaluation = thread.frames.back().latest[e.site];
      if (thread.last_site != e.site) evaluation.events.clear();
      evaluation.events.push_back(node);
      thread.evaluations[e.site].pending.push_back(node);
    }
    thread.last_site = e.site;
    thread.last = node;
    remember_synchronization(e, node, thread);
  }

  void remember_synchronization(const trace::Event& e, Node node, Thread& thread) {
    using enum trace::EventKind;
    if (begins_section(e.kind)) thread.held.push_back({e.lock(), node});
    if (ends_section(e.kind)) {
      const auto mine = std::ranges::find(thread.held, e.lock(), &HeldLock::lock);
      if (mine != thread.held.end()) thread.held.erase(mine);
    }
    if (e.kind == FunctionEnter) thread.frames.push_back({node, {}});
    if (e.kind == FunctionExit && thread.frames.size() > 1) thread.frames.pop_back();
    if (e.kind == Fork) threads_[e.other_thread()].fork = node;
    if (e.kind == Join || e.kind == WaitEnd || e.kind == BarrierExit || e.kind == SemaphoreWait) {
      thread.blocking = node;
    }
    if (e.kind == NotifyOne || e.kind == NotifyAll || e.kind == SemaphorePost) {
      servers_[e.index] = node;
    }
    if (e.kind == BarrierEnter) enters_[{e.barrier(), e.generation()}].push_back(node);
    if (e.kind == Alloc) allocations_[e.index] = node;
  }

  static void depend(std::vector<Node>& edges, Node node) {
    if (node != kNoNode) edges.push_back(node);
  }

  Node node_of(History& history) {
    if (history.pending.empty()) return history.all;
    if (history.all == kNoNode && history.pending.size() == 1) {
      history.all = history.pending.front();
    } else {
      const std::vector<Node> control = std::exchange(control_, {}),
                              data = std::exchange(data_, {});
      control_ = history.pending;
      depend(control_, history.all);
      history.all = add_node(kNoEventHere);
      control_ = control;
      data_ = data;
    }
    history.pending.clear();
    return history.all;
  }

  // With the edges found.
  Node add_node(uint32_t event) {
    const Node node{static_cast<uint32_t>(result_.event_of_.size())};
    result_.event_of_.push_back(event);
    put(control_);
    result_.first_data_.push_back(static_cast<uint32_t>(result_.edges_.size()));
    put(data_);
    result_.first_control_.push_back(static_cast<uint32_t>(result_.edges_.size()));
    return node;
  }

  void put(std::vector<Node>& edges) {
    std::ranges::sort(edges);
    const auto repeats = std::ranges::unique(edges);
    result_.edges_.insert(result_.edges_.end(), edges.begin(), repeats.begin());
  }

  Dependences& result_;
  const std::span<const trace::Event> events_;
  Statements& statements_;
  const AllocationOf& allocation_of_;
  DenseTable<Thread, ThreadId> threads_;
  absl::flat_hash_map<LocationId, Node> last_write_;
  absl::flat_hash_map<EventIndex, Node> servers_, allocations_;
  absl::flat_hash_map<std::pair<BarrierId, uint64_t>, std::vector<Node>> enters_;
  std::vector<Node> control_, data_;  // of the node that is being made
};

Dependences::Dependences(std::span<const trace::Event> events, Statements& statements,
                         const AllocationOf& allocation_of) {
  Builder(*this, events, statements, allocation_of).run();
}

}  // namespace foretell::analysis::sliced

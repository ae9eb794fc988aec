// SPDX-License-Identifier: Apache-2.0

// Dependences: which events of a trace depend directly upon which (SLICED 2.3, definitions 2, 3 and
// 7).
//
// e' depends upon e if a change of e may eliminate e' (control) or change its value (data):
//   control  1. e is of the latest evaluation of a statement in whose scope e' is. The definition
//               has the latest event only, so that `if (x + y)` would lose x. Taken are all events
//               of that evaluation (those of the statement with no other event of the thread
//               between), of each such statement
//            2. e is a call that e' is made in, or the fork of its thread
//            3. e acquires a lock that is held at e' (definition 7)
//   data     1. the statement of e' computes its value from the read e
//            2. e' reads what e has written
//            3. e' reads what could have been written on another way through the scope of e, and is
//               not itself in that scope. All earlier evaluations count
// The document has no threads that begin and end, no conditions, barriers or semaphores. An event
// after one that had to wait (a join, a wake, a leave, a down) has a control dependence upon it, and
// that one upon what it waited for. The allocation of its memory is one of an access.
// An event of an unknown statement depends upon all earlier reads of its thread.
//
// Nodes are events, and *histories*: all reads of a thread so far, all evaluations of a statement so
// far. They stand for many edges, so that the whole is linear in the trace where facts are few. Edges
// lead from a node to smaller ones.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "analysis/race/sliced/statements.h"
#include "trace/event.h"

namespace foretell::analysis::sliced {

enum class Node : uint32_t {};
inline constexpr Node kNoNode{~uint32_t{0}};
constexpr size_t place(Node node) {
  return static_cast<size_t>(node);
}

class Dependences {
 public:
  using AllocationOf = std::function<EventIndex(LocationId)>;

  // `events` are normalized.
  Dependences(std::span<const trace::Event> events, Statements& statements,
              const AllocationOf& allocation_of = {});

  size_t node_count() const { return event_of_.size(); }
  Node node_of(size_t event) const { return node_of_[event]; }
  bool is_event(Node node) const { return event_of_[place(node)] != kNoEventHere; }
  // Its place in the events.
  size_t event_of(Node node) const { return event_of_[place(node)]; }

  std::span<const Node> control(Node node) const {
    return edges(first_control_[place(node)], first_data_[place(node)]);
  }
  std::span<const Node> data(Node node) const {
    return edges(first_data_[place(node)], first_control_[place(node) + 1]);
  }

 private:
  class Builder;
  static constexpr uint32_t kNoEventHere = ~uint32_t{0};

  std::span<const Node> edges(uint32_t from, uint32_t to) const {
    return std::span(edges_).subspan(from, to - from);
  }

  std::vector<Node> node_of_;            // by event
  std::vector<uint32_t> event_of_;       // by node
  std::vector<uint32_t> first_control_;  // by node, and one more: in edges_
  std::vector<uint32_t> first_data_;     // by node
  std::vector<Node> edges_;
};

}  // namespace foretell::analysis::sliced

// SPDX-License-Identifier: Apache-2.0

// Schedule: a partial order of synchronization (COVER section 2).
//
// A node is (program counter, thread, how many nodes of the thread came before). Edges are program
// order and, from other threads, `after`. Plain accesses are not in it: programs are assumed to be free
// of data races. Threads are numbered in the order of their creation; 0 is main.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretell::symbolic {

enum class NodeKind : uint8_t {
#define NODE(name, word) name,
#include "symbolic/schedules/node_kinds.def"
};
std::string_view word_of(NodeKind kind);

struct NodePlace {
  uint32_t thread = 0;
  uint32_t index = 0;
  auto operator<=>(const NodePlace&) const = default;
};

struct Node {
  NodeKind kind = NodeKind::lock;
  uint32_t instruction = 0;
  // What the call gives. Of create the number of the new thread.
  int32_t result = 0;
  std::vector<NodePlace> after;  // in other threads; sorted; transitively reduced
  std::string object;            // for people; not part of the identity

  bool operator==(const Node& other) const {
    return kind == other.kind && instruction == other.instruction && result == other.result &&
           after == other.after;
  }
};

enum class EndKind : uint8_t {
  exited,        // every thread, or the program
  deadlock,      // nobody can go on
  thread_limit,  // more threads than --threads
  failed,        // an error that every such input has: it is in Schedule::end_text
  marker,        // all threads are at markers of epochs, blocked or exited
};
std::string_view name_of(EndKind kind);

struct Schedule {
  std::vector<std::vector<Node>> threads;
  EndKind end = EndKind::exited;
  std::string end_text;       // what is wrong with a deadlock or a failure
  uint32_t end_epoch = ~0u;   // of marker
  uint32_t participants = 0;  // threads that live in it

  size_t node_count() const;  // without markers
  bool operator==(const Schedule& other) const {
    return threads == other.threads && end == other.end && end_epoch == other.end_epoch;
  }
};

// A program that follows `whole` may have done this much when it ends itself (COVER 4.1.1).
bool is_prefix(const Schedule& part, const Schedule& whole);

// Removes edges that follow from others. `order` is a linear order of all nodes that respects them.
void reduce(Schedule& schedule, const std::vector<NodePlace>& order);

}  // namespace foretell::symbolic

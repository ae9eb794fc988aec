// SPDX-License-Identifier: Apache-2.0

// How the recorded run ordered two racing accesses, for "why it did not show".
//
// From the first access on, follows everything that carries an order: threads that come after it,
// and the objects they release. A thread is reached through the first edge that leads to it, so
// walking back from the second access gives one chain of edges, each from a release, fork, notify,
// ... to what took it over. Memory orders are taken at their strongest: an access that is not
// reached is certainly unordered, and a chain through a relaxed atomic or a fence is not shown.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <span>
#include <vector>

#include "finding/result.h"
#include "trace/event.h"

namespace foretell::pipeline {

class OrderWatch {
 public:
  struct Edge {
    EventIndex from, to;
    std::optional<LockId> lock = {};  // given up by `from`, taken by `to`
  };

  // Without locks only what holds in every schedule counts: a start and a join of threads, what a
  // read returns, ...
  OrderWatch(EventIndex first, EventIndex second, bool with_locks = true)
      : first_(first), second_(second), with_locks_(with_locks) {}

  // Normalized events, in order.
  void on_events(std::span<const trace::Event> batch);

  finding::RecordedOrder::Kind kind() const;
  uint64_t steps_between() const { return to_index(second_) - to_index(first_) - 1; }
  // From the first access's thread to the second's; empty unless kind() is `ordered`.
  std::vector<Edge> path() const;

  static constexpr uint64_t kLongest = 1'000'000;  // events between the two that are looked at

 private:
  static constexpr uint32_t kFirstThread = UINT32_MAX;  // in place of a node
  // How a thread was reached.
  struct Node {
    Edge edge;
    uint32_t parent = kFirstThread;  // of the thread that the edge came from
    bool is_strong = true;
  };
  struct Released {
    EventIndex by;
    uint32_t parent = kFirstThread;
    bool is_strong = true;
    std::optional<LockId> lock = {};
  };
  enum class ObjectKind : uint64_t { lock, shared, notify, barrier, post, location, fork, thread };
  static uint64_t key(ObjectKind kind, uint64_t id) {
    return static_cast<uint64_t>(kind) << 60 | (id & (uint64_t{1} << 60) - 1);
  }

  using Threads = absl::flat_hash_map<ThreadId, uint32_t>;

  void on_event(const trace::Event& e);
  Threads::iterator reach(const trace::Event& e, const Released& from);
  void release(const trace::Event& e, uint32_t node);
  const Released* taken_over(const trace::Event& e) const;
  const Released* find(ObjectKind kind, uint64_t id) const;

  EventIndex first_, second_;
  bool with_locks_;
  enum class Phase : uint8_t { before, between, after } phase_ = Phase::before;
  uint64_t seen_ = 0;  // events between
  bool too_far_ = false;
  bool is_reached_ = false;  // the second access
  uint32_t last_ = kFirstThread;
  std::vector<Node> nodes_;
  Threads threads_;                                  // reached, by their node
  absl::flat_hash_map<uint64_t, Released> objects_;  // by key
  std::vector<Released> fences_;                     // at most one
};

}  // namespace foretell::pipeline

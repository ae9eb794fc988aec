// SPDX-License-Identifier: Apache-2.0

// What the next event of an object conflicts with.
//
// Operations of an object (a location, a lock) fall into classes: an exclusive one conflicts with
// all others, those of another class only with other classes. The past of an object is then its
// last exclusive operation and, for each other class, the last one of every thread since: whatever
// came earlier is before these.
#pragma once

#include <array>
#include <vector>

#include "analysis/atomicity/velodrome/transaction_graph.h"
#include "clocks/vector_clock.h"

namespace foretell::analysis {

// An event with everything that comes before it. The component of a thread is one more than the
// index of the thread's last event that does.
struct PastEvent {
  clocks::VectorClock clock;
  TransactionGraph::Place place;
  uint32_t object = 0;

  ThreadId thread() const { return place.event.thread; }
};

enum class OperationClass : uint8_t { exclusive, reading, trying };

class ConflictHistory {
 public:
  template <class Visit>
  void for_each_conflict(OperationClass now, Visit&& visit) const {
    if (has_exclusive_) visit(exclusive_);
    for (OperationClass other : {OperationClass::reading, OperationClass::trying}) {
      if (other == now) continue;
      for (const PastEvent& past : of(other)) visit(past);
    }
  }

  void add(OperationClass now, const PastEvent& event) {
    if (now == OperationClass::exclusive) {
      exclusive_ = event;
      has_exclusive_ = true;
      for (auto& list : others_) list.clear();
      return;
    }
    std::vector<PastEvent>& list = others_[static_cast<size_t>(now) - 1];
    for (PastEvent& past : list) {
      if (past.thread() == event.thread()) {
        past = event;
        return;
      }
    }
    list.push_back(event);
  }

 private:
  const std::vector<PastEvent>& of(OperationClass c) const {
    return others_[static_cast<size_t>(c) - 1];
  }

  PastEvent exclusive_;
  bool has_exclusive_ = false;
  std::array<std::vector<PastEvent>, 2> others_;
};

}  // namespace foretell::analysis

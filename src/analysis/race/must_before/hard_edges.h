// SPDX-License-Identifier: Apache-2.0

// HardEdges: what threads tell each other through conditions, barriers and semaphores.
//
// Of these the document has conditions only, as the component N of PREDICT 16.2: the clock of the
// last notify. The others follow the same pattern. The event that gives (notify, enter, post)
// publishes its clock, the event that takes (wake, leave, down) joins it: in every correct
// reordering the taker comes after the giver (docs/semantics.md), so these edges are as hard as
// fork and join.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <vector>

#include "analysis/race/must_before/extra_edges.h"
#include "base/dense_table.h"
#include "trace/event.h"

namespace foretell::analysis {

class HardEdges {
 public:
  AdjustableClock& last_notify(ConditionId condition) { return notifies_[condition]; }  // N

  void enter_barrier(const trace::Event& e, const AdjustableClock& clock);
  void leave_barrier(const trace::Event& e, AdjustableClock& clock);
  void post(const trace::Event& e, const AdjustableClock& clock) { posts_.emplace(e.index, clock); }
  void down(const trace::Event& e, AdjustableClock& clock);

  template <class F>
  void for_each_clock(F&& f) {
    for (auto& [condition, clock] : notifies_) f(clock);
    for (auto& [index, clock] : posts_) f(clock);
    for (size_t i = 0; i < barriers_.size(); ++i) {
      for (Generation& g : barriers_[BarrierId{static_cast<uint32_t>(i)}]) f(g.clock);
    }
  }

 private:
  struct Generation {
    uint64_t number;
    uint64_t inside;  // entered and not left
    AdjustableClock clock;
  };

  absl::flat_hash_map<ConditionId, AdjustableClock> notifies_;
  DenseTable<std::vector<Generation>, BarrierId> barriers_;
  absl::flat_hash_map<EventIndex, AdjustableClock> posts_;  // not consumed yet
};

}  // namespace foretell::analysis

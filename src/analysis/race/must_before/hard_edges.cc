// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/hard_edges.h"

#include <algorithm>

namespace foretell::analysis {

void HardEdges::enter_barrier(const trace::Event& e, const AdjustableClock& clock) {
  auto& generations = barriers_[e.barrier()];
  if (generations.empty() || generations.back().number != e.generation()) {
    std::erase_if(generations, [](const Generation& g) { return g.inside == 0; });
    generations.push_back({e.generation(), 0, AdjustableClock()});
  }
  ++generations.back().inside;
  generations.back().clock.join(clock);
}

void HardEdges::leave_barrier(const trace::Event& e, AdjustableClock& clock) {
  auto& generations = barriers_[e.barrier()];
  auto entered = std::ranges::find(generations, e.generation(), &Generation::number);
  CHECK(entered != generations.end() && entered->inside > 0);
  clock.join(entered->clock);
  --entered->inside;
}

void HardEdges::down(const trace::Event& e, AdjustableClock& clock) {
  if (e.partner() == kNoEvent) return;
  auto post = posts_.find(e.partner());
  CHECK(post != posts_.end());
  clock.join(post->second);
  posts_.erase(post);
}

}  // namespace foretell::analysis

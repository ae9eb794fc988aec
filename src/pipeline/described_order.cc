// SPDX-License-Identifier: Apache-2.0

#include "pipeline/described_order.h"

#include <absl/container/flat_hash_set.h>

namespace foretell::pipeline {

finding::RecordedOrder described_order(const OrderWatch& watch,
                                       const std::optional<finding::Witness>& witness,
                                       const EventDescriber& describer,
                                       const trace::TraceTables& tables) {
  finding::RecordedOrder order{.kind = watch.kind(), .steps_between = watch.steps_between()};
  const std::vector<OrderWatch::Edge> path = watch.path();
  if (path.empty()) return order;
  absl::flat_hash_set<EventIndex> steps;
  if (witness) steps.insert(witness->steps.begin(), witness->steps.end());
  auto happens = [&](EventIndex index) {
    return witness && (to_index(index) < witness->prefix_end || steps.contains(index));
  };
  for (const OrderWatch::Edge& edge : path) {
    order.path.push_back({.from = describer[edge.from],
                          .to = describer[edge.to],
                          .lock = edge.lock ? std::string(tables.locks[*edge.lock]) : "",
                          .is_broken = !happens(edge.from) && happens(edge.to)});
  }
  return order;
}

}  // namespace foretell::pipeline

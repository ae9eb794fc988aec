// SPDX-License-Identifier: Apache-2.0

#include "report/why_hidden.h"

#include <fmt/format.h>

namespace foretell::report {

std::string why_hidden(const finding::Finding& finding) {
  const auto* race = finding.as<finding::RaceFinding>();
  if (race == nullptr) return "";
  switch (race->recorded.kind) {
    case finding::RecordedOrder::Kind::unknown:
      return "";
    case finding::RecordedOrder::Kind::unordered: {
      const uint64_t ahead = race->recorded.steps_between + 1;
      return fmt::format("{} happened to be {} step{} ahead of {}", finding.events[0].thread, ahead,
                         ahead == 1 ? "" : "s", finding.events[1].thread);
    }
    case finding::RecordedOrder::Kind::ordered:
      break;
  }
  const finding::OrderEdge* edge = race->recorded.hiding_edge();
  if (edge == nullptr || edge->lock.empty()) return "";
  // Only locks are taken in an order that no value and no start of a thread depends on.
  return fmt::format("{} happened to unlock '{}' before {} locked it", edge->from.thread,
                     edge->lock, edge->to.thread);
}

}  // namespace foretell::report

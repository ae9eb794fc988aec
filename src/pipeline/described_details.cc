// SPDX-License-Identifier: Apache-2.0

#include "pipeline/described_details.h"

#include "pipeline/described_order.h"

namespace foretell {
namespace {

std::string block_name(const BlockName& block, const TraceTables& tables) {
  return std::string(block.kind == BlockName::Kind::label ? tables.labels[LabelId{block.id}]
                                                          : tables.functions[FunctionId{block.id}]);
}

// "m -> n".
std::string objects_of(const std::vector<DescribedEvent>& events) {
  std::string names;
  for (const DescribedEvent& e : events) names += (names.empty() ? "" : " -> ") + e.object;
  return names;
}

}  // namespace

FindingDetails described_details(const Ruling& ruling, const std::vector<DescribedEvent>& events,
                                 const EventDescriber& describer, const TraceTables& tables,
                                 const EventDescriber::LocationName& location_name) {
  const Proposal& proposal = ruling.proposal;
  switch (proposal.kind) {
    case FindingKind::race: {
      RaceFinding race{.location = location_name(proposal.location)};
      if (ruling.watch && ruling.witness) {
        race.recorded = described_order(*ruling.watch, ruling.witness, describer, tables);
      }
      return race;
    }
    case FindingKind::deadlock:
      return DeadlockFinding{.waits = objects_of(events), .is_cycle = events.size() > 1};
    case FindingKind::atomicity: {
      AtomicityFinding violation{.pattern = proposal.pattern};
      for (const BlockName& block : proposal.blocks) {
        violation.blocks.push_back(block_name(block, tables));
      }
      return violation;
    }
    case FindingKind::nondeterminism: {
      NondeterminismFinding read{.location = location_name(proposal.location)};
      if (ruling.witness && ruling.recorded_write != kNoEvent) {
        read.seen_write = describer[ruling.recorded_write];
      }
      return read;
    }
    case FindingKind::property:
      return PropertyFinding{.name = objects_of(events)};
  }
  return {};
}

}  // namespace foretell

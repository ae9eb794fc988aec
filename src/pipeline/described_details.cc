// SPDX-License-Identifier: Apache-2.0

#include "pipeline/described_details.h"

#include "pipeline/described_order.h"

namespace foretell::pipeline {
namespace {

std::string block_name(const finding::BlockName& block, const trace::TraceTables& tables) {
  return std::string(block.kind == finding::BlockName::Kind::label
                         ? tables.labels[LabelId{block.id}]
                         : tables.functions[FunctionId{block.id}]);
}

// "m -> n".
std::string objects_of(const std::vector<finding::DescribedEvent>& events) {
  std::string names;
  for (const finding::DescribedEvent& e : events) names += (names.empty() ? "" : " -> ") + e.object;
  return names;
}

}  // namespace

finding::DescribedEvent described_misuse(const trace::MisuseFact& fact,
                                         finding::DescribedEvent event) {
  using trace::Misuse;
  switch (fact.how) {
    case Misuse::unlock_of_other:
    case Misuse::unlock_of_free:
      event.operation = trace::EventKind::Release;
      event.expression.clear();
      break;
    case Misuse::wait_unlocked:
    case Misuse::wait_with_other:
      event.operation = trace::EventKind::WaitBegin;
      event.expression.clear();
      break;
    case Misuse::relock:
      event.operation = trace::EventKind::Request;
      break;
    case Misuse::destroy_locked:
    case Misuse::destroy_awaited:
      break;
  }
  event.object = fact.object;
  event.value.reset();
  return event;
}

finding::FindingDetails described_details(const Ruling& ruling,
                                          const std::vector<finding::DescribedEvent>& events,
                                          const EventDescriber& describer,
                                          const trace::TraceTables& tables,
                                          const EventDescriber::LocationName& location_name) {
  const finding::Proposal& proposal = ruling.proposal;
  switch (proposal.kind) {
    case finding::FindingKind::race: {
      finding::RaceFinding race{.location = location_name(proposal.location)};
      if (ruling.watch && ruling.witness) {
        race.recorded = described_order(*ruling.watch, ruling.witness, describer, tables);
      }
      if (ruling.unordered && !ruling.witness && ruling.unordered->write != kNoEvent) {
        race.missing_order = {describer[ruling.unordered->write],
                              describer[ruling.unordered->read]};
      }
      const bool ends_life = std::ranges::any_of(events, [](const finding::DescribedEvent& e) {
        return e.operation == trace::EventKind::Free;
      });
      if (ends_life) return finding::MemoryFinding{std::move(race)};
      return race;
    }
    case finding::FindingKind::deadlock:
      return finding::DeadlockFinding{.waits = objects_of(events), .is_cycle = events.size() > 1};
    case finding::FindingKind::atomicity: {
      finding::AtomicityFinding violation{.pattern = proposal.pattern};
      for (const finding::BlockName& block : proposal.blocks) {
        violation.blocks.push_back(block_name(block, tables));
      }
      return violation;
    }
    case finding::FindingKind::nondeterminism: {
      finding::NondeterminismFinding read{.location = location_name(proposal.location)};
      if (ruling.witness && ruling.recorded_write != kNoEvent) {
        read.seen_write = describer[ruling.recorded_write];
      }
      return read;
    }
    case finding::FindingKind::memory: {  // other memory errors are proposed as races
      finding::MemoryFinding destroyed;
      destroyed.location = events[0].object;
      return destroyed;
    }
    case finding::FindingKind::misuse:  // nobody proposes it
      break;
    case finding::FindingKind::property:
      return finding::PropertyFinding{.name = objects_of(events)};
  }
  return {};
}

}  // namespace foretell::pipeline

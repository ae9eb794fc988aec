// SPDX-License-Identifier: Apache-2.0

#include "pipeline/finding_describer.h"

#include <algorithm>

#include "pipeline/described_details.h"
#include "pipeline/described_order.h"
#include "pipeline/refutation.h"

namespace foretell::pipeline {
namespace {

// C++20 [intro.races], paragraph 21.
constexpr std::string_view kUnorderedReason =
    "both accesses are in the recorded run and neither happens before the other: a data race, "
    "whose behavior is undefined. No interleaving brings the two together, so there is none to "
    "replay";

std::span<const EventIndex> last_steps(const finding::Witness& witness) {
  constexpr size_t kShownSteps = 64;
  std::span<const EventIndex> steps = witness.steps;
  return steps.last(std::min(steps.size(), kShownSteps));
}

finding::Verdict verdict_of(const Ruling& ruling) {
  if (ruling.is_refuted()) return finding::Verdict::dismissed;
  // What is known of the code decides which reads are free, and the binary whether that is right.
  const bool certain = ruling.reads != trace::ReadDemand::free;
  if (ruling.witness && certain) return finding::Verdict::predicted;
  return ruling.unordered ? finding::Verdict::unordered : finding::Verdict::possible;
}

}  // namespace

FindingDescriber::FindingDescriber(const trace::TraceTables& tables,
                                   EventDescriber::LocationName location_name)
    : tables_(tables), location_name_(std::move(location_name)), events_(tables, location_name_) {}

void FindingDescriber::want_last_steps(const finding::Witness& witness) {
  for (EventIndex index : last_steps(witness)) events_.want(index);
}

void FindingDescriber::want(const Ruling& ruling) {
  for (const finding::EventRef& e : ruling.proposal.events) events_.want(e.index);
  if (ruling.witness) {
    if (ruling.recorded_write != kNoEvent) events_.want(ruling.recorded_write);
    want_last_steps(*ruling.witness);
  }
  if (ruling.unordered) {
    for (const finding::EventRef& e : ruling.unordered->race.events) events_.want(e.index);
    if (ruling.unordered->write != kNoEvent) {
      events_.want(ruling.unordered->write);
      events_.want(ruling.unordered->read);
    }
  }
  if (!ruling.watch) return;
  for (const OrderWatch::Edge& edge : ruling.watch->path()) {
    events_.want(edge.from);
    events_.want(edge.to);
  }
}

void FindingDescriber::want(const Trial& trial) {
  for (const finding::EventRef& e : trial.proposal.events) events_.want(e.index);
  if (trial.recorded_write != kNoEvent) events_.want(trial.recorded_write);
  want_last_steps(trial.witness);
}

void FindingDescriber::want(const PropertyViolation& violation) {
  for (EventIndex index : violation.events) events_.want(index);
  want_last_steps(violation.witness);
}

void FindingDescriber::describe_last_steps(finding::Witness& witness) const {
  for (EventIndex index : last_steps(witness)) witness.last_steps.push_back(events_[index]);
}

finding::Finding FindingDescriber::describe(Ruling& ruling,
                                            std::vector<std::string> analyses) const {
  finding::Finding finding;
  finding.verdict = verdict_of(ruling);
  finding.analyses = std::move(analyses);
  const bool unordered = ruling.unordered && !ruling.witness;
  if (unordered) ruling.proposal = ruling.unordered->race;
  for (const finding::EventRef& e : ruling.proposal.events) {
    finding.events.push_back(events_[e.index]);
  }
  finding.details = described_details(ruling, finding.events, events_, tables_, location_name_);
  finding.reason = unordered ? std::string(kUnorderedReason) : std::move(ruling.reason);
  finding.occurrences = ruling.group->proposals;
  if (ruling.watch && !ruling.witness) {
    const finding::RecordedOrder order = described_order(*ruling.watch, {}, events_, tables_);
    if (!order.path.empty()) finding.reason = refutation_text(order.path);
  }
  if (ruling.witness) {
    finding.witness = std::move(ruling.witness);
    finding.reads = ruling.reads;
    describe_last_steps(*finding.witness);
  }
  return finding;
}

finding::Finding FindingDescriber::describe(const Trial& trial) const {
  finding::Finding finding;
  for (const finding::EventRef& e : trial.proposal.events) {
    finding.events.push_back(events_[e.index]);
  }
  Ruling ruling;
  ruling.proposal = trial.proposal;
  ruling.witness = trial.witness;
  ruling.recorded_write = trial.recorded_write;
  finding.details = described_details(ruling, finding.events, events_, tables_, location_name_);
  finding.analyses = {"trial"};
  finding.witness = trial.witness;
  describe_last_steps(*finding.witness);
  return finding;
}

finding::Finding FindingDescriber::describe(PropertyViolation& violation) const {
  finding::Finding finding;
  finding.verdict = finding::Verdict::predicted;
  finding.analyses = {violation.details.recorded ? "monitor" : "consistent_runs"};
  for (EventIndex index : violation.events) finding.events.push_back(events_[index]);
  finding.details = std::move(violation.details);
  finding.reads = violation.reads;
  finding.occurrences = violation.occurrences;
  finding.witness = std::move(violation.witness);
  describe_last_steps(*finding.witness);
  return finding;
}

void FindingDescriber::add_misuse(const trace::MisuseFact& fact,
                                  std::vector<finding::Finding>& findings) const {
  finding::DescribedEvent event = described_misuse(fact, events_[fact.index]);
  const auto known = std::ranges::find_if(findings, [&](const finding::Finding& f) {
    const auto* misuse = f.as<finding::MisuseFinding>();
    return misuse != nullptr && misuse->how == fact.how && f.events[0].site == event.site;
  });
  if (known != findings.end()) {
    ++known->occurrences;
    return;
  }
  finding::Finding& finding = findings.emplace_back();
  finding.details = finding::MisuseFinding{fact.object, fact.how, fact.other};
  finding.verdict = finding::Verdict::confirmed;
  finding.replay = "this happened while the program was recorded";
  finding.witness = finding::Witness{to_index(fact.index), {fact.index}, {event}};
  finding.events.push_back(std::move(event));
}

}  // namespace foretell::pipeline

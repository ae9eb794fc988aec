// SPDX-License-Identifier: Apache-2.0

// FindingDescriber: findings in names, from what the judge, the trials and the monitors said about
// events.
//
// First it is told what will be described, then it sees the trace, then it describes.
#pragma once

#include "pipeline/describer.h"
#include "pipeline/properties.h"
#include "pipeline/ruling.h"
#include "pipeline/trials.h"

namespace foretell::pipeline {

class FindingDescriber {
 public:
  FindingDescriber(const trace::TraceTables& tables, EventDescriber::LocationName location_name);

  void want(const Ruling& ruling);
  void want(const Trial& trial);
  void want(const PropertyViolation& violation);
  void want(const trace::MisuseFact& fact) { events_.want(fact.index); }

  void on_events(std::span<const trace::Event> batch) { events_.on_events(batch); }

  // Takes the witness and the reason. `analyses`: the names of those that proposed it.
  finding::Finding describe(Ruling& ruling, std::vector<std::string> analyses) const;
  finding::Finding describe(const Trial& trial) const;
  finding::Finding describe(PropertyViolation& violation) const;
  // Of misuses at one place only the first is a finding, the others are counted there.
  void add_misuse(const trace::MisuseFact& fact, std::vector<finding::Finding>& findings) const;

 private:
  void want_last_steps(const finding::Witness& witness);
  void describe_last_steps(finding::Witness& witness) const;

  const trace::TraceTables& tables_;
  EventDescriber::LocationName location_name_;
  EventDescriber events_;
};

}  // namespace foretell::pipeline

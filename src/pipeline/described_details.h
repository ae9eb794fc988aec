// SPDX-License-Identifier: Apache-2.0

// What only one kind of finding has, in names, from the judge's ruling on a proposal.
#pragma once

#include <vector>

#include "finding/details.h"
#include "pipeline/describer.h"
#include "pipeline/ruling.h"

namespace foretell::pipeline {

// `events` are those of the proposal. The describer knows them, the edges of the ruling's watch and
// its recorded write.
finding::FindingDetails described_details(const Ruling& ruling,
                                          const std::vector<finding::DescribedEvent>& events,
                                          const EventDescriber& describer,
                                          const trace::TraceTables& tables,
                                          const EventDescriber::LocationName& location_name);

// The step in which something was misused. What the trace made of it, because traces have rules that
// the program broke, does not matter.
finding::DescribedEvent described_misuse(const trace::MisuseFact& fact,
                                         finding::DescribedEvent event);

}  // namespace foretell::pipeline

// SPDX-License-Identifier: Apache-2.0

// How the recorded run ordered two events, in names.
#pragma once

#include <optional>

#include "pipeline/describer.h"
#include "pipeline/recorded_order.h"

namespace foretell::pipeline {

// The events of the watch's path are described. An edge is broken if the witness has its end
// without its beginning.
finding::RecordedOrder described_order(const OrderWatch& watch,
                                       const std::optional<finding::Witness>& witness,
                                       const EventDescriber& describer,
                                       const trace::TraceTables& tables);

}  // namespace foretell::pipeline

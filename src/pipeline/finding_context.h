// SPDX-License-Identifier: Apache-2.0

// The context of a finding that is not a race: how the recorded run ordered its events, and which
// analyses propose it.
//
// The trace is streamed again: once for the orders of events that the finding puts side by side,
// once more to describe what made them, and once for each pass of each analysis that looks for
// findings of this kind. An analysis proposes the finding if it proposes events of the same sites
// (without sites: the same events); for blocks, if it proposes the same block.
#pragma once

#include <vector>

#include "analysis/registry.h"
#include "finding/result.h"
#include "trace/stream.h"

namespace foretell::pipeline {

// Two events in recorded order.
struct EventOrder {
  finding::DescribedEvent first, second;
  finding::RecordedOrder order;
};

struct FindingOpinion {
  const analysis::AnalysisEntry* analysis = nullptr;
  bool proposes = false;
};

struct FindingContext {
  std::vector<EventOrder> orders;
  std::vector<FindingOpinion> opinions;
};

// The stream is at its start again afterward.
Result<FindingContext> context_of(trace::TraceStream& stream, const finding::Finding& finding);

}  // namespace foretell::pipeline

// SPDX-License-Identifier: Apache-2.0

// Whether each analysis orders one pair of accesses.
//
// An analysis need not report this very pair. So the trace is streamed again, with an access of a
// new location inserted immediately before each of the two. Only these two access it, so the
// analysis proposes them exactly if it does not order them. As the two accesses clash themselves,
// the inserted ones add no order.
#pragma once

#include <vector>

#include "analysis/registry.h"
#include "trace/stream.h"

namespace foretell::pipeline {

struct PairOpinion {
  const analysis::AnalysisEntry* analysis;
  bool is_race = false;
};

// One opinion for each of the analyses; the stream is at its start again afterward. The two are
// indices of accesses in the input, in the order of the trace.
Result<std::vector<PairOpinion>> opinions_on(
    trace::TraceStream& stream, EventIndex first, EventIndex second,
    std::span<const analysis::AnalysisEntry* const> analyses);

}  // namespace foretell::pipeline

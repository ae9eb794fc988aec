// SPDX-License-Identifier: Apache-2.0

// What an analysis that knows of allocations proposes on a trace, as positions.
#pragma once

#include <vector>

#include "reported.h"

namespace foretell::oracle {

// `more` are further arguments of the constructor.
template <class Detector, class... More>
std::vector<Pair> proposed_pairs(const trace::Trace& trace, const More&... more) {
  Proposals proposals(trace);
  analysis::AnalysisOptions options;
  options.allocation_of = [&](LocationId id) { return trace.cells[id].alloc; };
  Detector detector(options, proposals, more...);
  do {
    detector.on_events(trace.events);
    detector.finish();
  } while (detector.wants_another_pass());
  return std::move(proposals.pairs);
}

}  // namespace foretell::oracle

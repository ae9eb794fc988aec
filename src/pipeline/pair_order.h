// What each analysis thinks of one pair of accesses.
//
// An analysis reports the pairs it likes to report, which need not be this one. So it is asked: the
// trace passes by once more, with an access of a location of its own put right before each of the
// two. Only these two touch it, so the analysis proposes them exactly if it does not order them;
// and as the two accesses clash themselves, the added ones give rise to no order that was not
// there.
#pragma once

#include <vector>

#include "analysis/registry.h"
#include "trace/stream.h"

namespace foretell {

struct PairOpinion {
  const AnalysisEntry* analysis;
  bool is_race = false;
};

// One opinion for each of the analyses; the stream is at its start again afterwards. The two are
// indices of accesses in the input, in the order of the trace.
Result<std::vector<PairOpinion>> opinions_on(TraceStream& stream, EventIndex first,
                                             EventIndex second,
                                             std::span<const AnalysisEntry* const> analyses);

}  // namespace foretell

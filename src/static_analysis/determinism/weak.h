// SPDX-License-Identifier: Apache-2.0

// Weak determinism and the relaxations of STATICDET 6 and 7.3: whatever may differ from schedule to
// schedule looks the same to an observer, who may be interested in some variables, threads or states
// only.
//
// An observer looks at each read of memory that threads share, at what memory holds in the end, at
// what is written out and at what main returns. Of a tagged value (tags.h) all that it may be, by
// whichever thread wrote it, has to lie in one block of the observation. Without an observation the
// values have to be one constant.
#pragma once

#include "static_analysis/determinism/findings.h"
#include "static_analysis/determinism/tags.h"

namespace foretell::static_analysis {

struct WeakAnswer {
  std::vector<NondeterminismReport> reports;  // none: proved
};

Result<WeakAnswer> check_weakly(const PairRules& rules, const std::vector<Conflict>& conflicts,
                                const std::vector<Source>& sources,
                                const DeterminismOptions& options);

// The document's own property, of reads and of the final memory: one writer; or, with an observation,
// equal abstract values of all writers, the greatest one included. It knows neither order nor
// reductions beyond what the abstract semantics tells, and a thread that stands for many is one.
Result<WeakAnswer> check_as_in_paper(const PairRules& rules, const DeterminismOptions& options);

}  // namespace foretell::static_analysis

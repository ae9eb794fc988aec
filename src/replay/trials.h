// SPDX-License-Identifier: Apache-2.0

// Trials on the real program: what no trace can decide (pipeline/trials.h).
//
// A race or a deadlock that only reads stand against becomes a finding if it happens. Another value
// of a read becomes one if the program then ends badly, as it did not when it was recorded: it is
// killed, exits with an error, or deadlocks. The end must be that value's doing, so the recorded
// schedule is followed once more: if the program ends badly there too (a file that exists by now, a
// port in use), nothing is said.
#pragma once

#include "replay/confirm.h"

namespace foretell::replay {

// Within a share of the time that the run took. What happens becomes a confirmed finding, or the
// consequence of one that is about the same accesses; of the rest nothing is left.
Result<void> try_trials(const Replayer& replayer, const launch::RunDirectory& directory,
                        const launch::RecordedRun& run, const TryOptions& options,
                        finding::AnalysisResult& result);

}  // namespace foretell::replay

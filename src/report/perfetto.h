// SPDX-License-Identifier: Apache-2.0

// Schedules as pictures: Chrome's trace format, which ui.perfetto.dev and chrome://tracing show.
//
// One process is the recorded run, and one each interleaving that shows a finding; threads are
// threads, and a step lasts a microsecond, so that the times read as step numbers. Functions are
// the slices around their steps, held locks are tracks of their own.
#pragma once

#include <string>
#include <vector>

#include "finding/result.h"
#include "trace/reader.h"

namespace foretell::report {

struct PerfettoOptions {
  uint64_t most_events = 250'000;    // of a schedule
  uint64_t most_slices = 1'000'000;  // of the file
};

// Reads all raw events of `reader`, the trace that `result` is about. What the limits left out is
// said in `left_out`.
Result<std::string> to_perfetto(trace::TraceReader& reader, const finding::AnalysisResult& result,
                                const PerfettoOptions& options, std::vector<Diagnostic>& left_out);

}  // namespace foretell::report

// SPDX-License-Identifier: Apache-2.0

// Which events of a trace the HTML report carries.
//
// All of them up to a limit. Of a longer trace: windows around the events of the findings and
// around what ordered them, the ends of the predicted schedules, and the skeleton: every event that
// synchronizes, so that locks held and "ordered?" stay exact. If even the skeleton is too large it
// is left out, and the page says that its answers hold only for what it shows.
#pragma once

#include <cstdint>
#include <vector>

#include "finding/result.h"
#include "trace/stream.h"

namespace foretell::report::html {

struct KeptEvents {
  bool whole = true;
  bool has_skeleton = true;
  std::vector<uint64_t> indices;  // sorted; empty if whole

  // Of a sequence of questions with growing indices.
  class Cursor {
   public:
    explicit Cursor(const KeptEvents& kept) : kept_(kept) {}
    bool keeps(EventIndex index) {
      if (kept_.whole) return true;
      while (at_ < kept_.indices.size() && kept_.indices[at_] < to_index(index)) ++at_;
      return at_ < kept_.indices.size() && kept_.indices[at_] == to_index(index);
    }

   private:
    const KeptEvents& kept_;
    size_t at_ = 0;
  };
};

struct KeepLimits {
  uint64_t whole = 250'000;        // events of a trace that is kept as it is
  uint64_t skeleton = 400'000;     // events of the largest skeleton
  uint64_t window = 150;           // events on each side of one that matters
  size_t steps = 300;              // at the end of a predicted schedule
  size_t windowed_findings = 500;  // the first of them get windows
};

// Leaves the stream at its beginning.
Result<KeptEvents> choose_events(trace::TraceStream& stream, const finding::AnalysisResult& result,
                                 const KeepLimits& limits);

}  // namespace foretell::report::html

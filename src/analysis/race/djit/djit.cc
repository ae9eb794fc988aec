// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/djit/djit.h"

namespace foretell::analysis {

void Djit::on_event(const trace::Event& e) {
  if (!is_access(e.kind)) {
    ++others_;
    clocks_.on_event(e);
    return;
  }
  clocks_.before_access(e);
  const AccessEntry* latest = history_.latest(e);
  // A free is no repetition of the write before it: it is what later accesses race with.
  if (latest && e.kind != trace::EventKind::Free && latest->epoch == clocks_.epoch(e.thread)) {
    ++repeated_in_segment_;
  } else {
    ++first_in_segment_;
    history_.collect_races(e, clocks_.clock(e.thread), candidates_);
    candidates_.propose(e, clocks_);
    history_.record(e, clocks_.clock(e.thread));
  }
  clocks_.after_access(e);
}

void Djit::report_counters(CounterSink& sink) const {
  sink.count("first access in segment", first_in_segment_);
  sink.count("repeated access in segment", repeated_in_segment_);
  sink.count("other event", others_);
  sink.count("race", candidates_.proposed());
}

}  // namespace foretell::analysis

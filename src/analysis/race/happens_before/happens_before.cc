// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/happens_before/happens_before.h"

namespace foretell::analysis {

void HappensBefore::on_event(const trace::Event& e) {
  if (!is_access(e.kind)) {
    ++others_;
    clocks_.on_event(e);
    return;
  }
  ++(e.kind == trace::EventKind::Read || e.kind == trace::EventKind::AtomicRead ? reads_ : writes_);
  clocks_.before_access(e);
  history_.collect_races(e, clocks_.clock(e.thread), candidates_);
  candidates_.propose(e, clocks_);
  history_.record(e, clocks_.clock(e.thread));
  clocks_.after_access(e);
}

void HappensBefore::report_counters(CounterSink& sink) const {
  sink.count("read", reads_);
  sink.count("write", writes_);
  sink.count("other event", others_);
  sink.count("race", candidates_.proposed());
}

}  // namespace foretell::analysis

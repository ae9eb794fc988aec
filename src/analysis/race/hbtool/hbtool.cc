// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/hbtool/hbtool.h"

namespace foretell::analysis {

void HbTool::on_event(const trace::Event& e) {
  if (!is_access(e.kind)) {
    ++others_;
    clocks_.on_event(e);
    return;
  }
  clocks_.before_access(e);
  history_.collect_races(e, clocks_.clock(e.thread), candidates_);
  candidates_.propose(e, clocks_);
  communicate(e);
}

void HbTool::communicate(const trace::Event& e) {
  const bool only_reads =
      e.kind == trace::EventKind::Read || e.kind == trace::EventKind::AtomicRead;
  ++(only_reads ? reads_ : writes_);
  Location& x = locations_[e.location()];
  learn(e.thread, x.write);
  if (!only_reads) learn(e.thread, x.reads);

  const clocks::VectorClock now = clocks_.clock(e.thread);
  history_.record(e, now);
  clocks_.after_access(e);
  if (only_reads) {
    x.reads.join(now);
  } else {
    x.write = now;
    x.reads = clocks::VectorClock();
  }
  clocks_.advance(e.thread);
}

void HbTool::learn(ThreadId thread, const clocks::VectorClock& clock) {
  if (clock.leq(clocks_.clock(thread))) return;
  ++communications_;
  clocks_.learn(thread, clock);
}

void HbTool::report_counters(CounterSink& sink) const {
  sink.count("read", reads_);
  sink.count("write", writes_);
  sink.count("ordered by communication", communications_);
  sink.count("other event", others_);
  sink.count("race", candidates_.proposed());
}

}  // namespace foretell::analysis

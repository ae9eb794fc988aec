// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/shb/shb.h"

#include <algorithm>

#include "trace/event_match.h"

namespace foretell::analysis {

void Shb::on_event(const trace::Event& e) {
  if (is_access(e.kind)) {
    access(e);
  } else {
    ++others_;
    sync(e);
  }
}

clocks::VectorClock Shb::publish(ThreadId thread) {
  clocks::VectorClock clock = clocks_.clock(thread);
  clocks_.advance(thread);
  return clock;
}

void Shb::access(const trace::Event& e) {
  Location& x = locations_[e.location()];
  clocks_.learn(e.thread, x.free);
  clocks_.before_access(e);
  history_.collect_races(e, clocks_.clock(e.thread), candidates_);
  candidates_.propose(e, clocks_);

  if (is_read(e.kind)) {
    ++reads_;
    if (!clocks_.clock(e.thread).contains(x.write.head())) {
      ++reads_from_;
      clocks_.learn(e.thread, x.write);
    }
  }
  if (e.kind == trace::EventKind::Free) history_.forget(e.location());
  history_.record(e, clocks_.clock(e.thread));
  clocks_.after_access(e);
  if (is_write(e.kind)) {
    ++writes_;
    x.write = publish(e.thread);
  } else if (e.kind == trace::EventKind::Free) {
    ++writes_;
    x.free = publish(e.thread);
  }
}

void Shb::sync(const trace::Event& e) {
  match(e.kind,
        trace::Cases{
            trace::on<trace::kSectionBegins>([&] {
              clocks_.on_event(e);
              acquire(e);
            }),
            trace::on<trace::kSectionEnds>([&] {
              release(e);
              if (e.kind == trace::EventKind::WaitBegin) {
                conditions_[e.condition()].join(clocks_.clock(e.thread));
              }
              clocks_.on_event(e);
            }),
            trace::on<trace::kFailedTries>([&] { failed_try(e); }),
            trace::on<trace::kNotifies>([&] { notify(e); }),
            trace::on<trace::EventKind::BarrierEnter>([&] { barrier_enter(e); }),
            trace::on<trace::kForksAndJoins, trace::EventKind::Fence, trace::EventKind::BarrierExit,
                      trace::kSemaphores>([&] { clocks_.on_event(e); }),
            trace::ignored<trace::kAccesses, trace::EventKind::Alloc, trace::kRequests,
                           trace::kRemarks>,
        });
}

void Shb::acquire(const trace::Event& e) {
  holders_[e.lock()].push_back({e.thread, publish(e.thread)});
}

void Shb::release(const trace::Event& e) {
  std::erase_if(holders_[e.lock()], [&](const Holder& h) { return h.thread == e.thread; });
}

// Any holder will do to make the try fail; in shared mode only exclusive ones, and those are alone.
void Shb::failed_try(const trace::Event& e) {
  const auto& holders = holders_[e.lock()];
  if (!holders.empty()) clocks_.learn(e.thread, holders.back().acquire);
}

void Shb::notify(const trace::Event& e) {
  if (const auto it = conditions_.find(e.condition()); it != conditions_.end()) {
    clocks_.learn(e.thread, it->second);
  }
  clocks_.on_event(e);
  conditions_[e.condition()].join(publish(e.thread));
}

void Shb::barrier_enter(const trace::Event& e) {
  Barrier& barrier = barriers_[e.barrier()];
  if (barrier.generation != e.generation()) {
    barrier.generation = e.generation();
    barrier.previous = std::move(barrier.enters);
    barrier.enters = clocks::VectorClock();
  }
  clocks_.learn(e.thread, barrier.previous);
  barrier.enters.join(clocks_.clock(e.thread));
  clocks_.on_event(e);
}

void Shb::report_counters(CounterSink& sink) const {
  sink.count("read", reads_);
  sink.count("read after another thread's write", reads_from_);
  sink.count("write", writes_);
  sink.count("other event", others_);
  sink.count("race", candidates_.proposed());
}

}  // namespace foretell::analysis

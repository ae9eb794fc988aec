// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/shb/shb.h"

#include <algorithm>

#include "trace/event_match.h"

namespace foretell {

void Shb::on_event(const Event& e) {
  if (is_access(e.kind)) {
    access(e);
  } else {
    ++others_;
    sync(e);
  }
}

VectorClock Shb::publish(ThreadId thread) {
  VectorClock clock = clocks_.clock(thread);
  clocks_.advance(thread);
  return clock;
}

void Shb::access(const Event& e) {
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
  if (e.kind == EventKind::Free) history_.forget(e.location());
  history_.record(e, clocks_.clock(e.thread));
  clocks_.after_access(e);
  if (is_write(e.kind)) {
    ++writes_;
    x.write = publish(e.thread);
  } else if (e.kind == EventKind::Free) {
    ++writes_;
    x.free = publish(e.thread);
  }
}

void Shb::sync(const Event& e) {
  match(e.kind, Cases{
                    on<kSectionBegins>([&] {
                      clocks_.on_event(e);
                      acquire(e);
                    }),
                    on<kSectionEnds>([&] {
                      release(e);
                      if (e.kind == EventKind::WaitBegin) {
                        conditions_[e.condition()].join(clocks_.clock(e.thread));
                      }
                      clocks_.on_event(e);
                    }),
                    on<kFailedTries>([&] { failed_try(e); }),
                    on<kNotifies>([&] { notify(e); }),
                    on<EventKind::BarrierEnter>([&] { barrier_enter(e); }),
                    on<kForksAndJoins, EventKind::Fence, EventKind::BarrierExit, kSemaphores>(
                        [&] { clocks_.on_event(e); }),
                    ignored<kAccesses, EventKind::Alloc, kRequests, kRemarks>,
                });
}

void Shb::acquire(const Event& e) {
  holders_[e.lock()].push_back({e.thread, publish(e.thread)});
}

void Shb::release(const Event& e) {
  std::erase_if(holders_[e.lock()], [&](const Holder& h) { return h.thread == e.thread; });
}

// Any holder will do to make the try fail; in shared mode only exclusive ones, and those are alone.
void Shb::failed_try(const Event& e) {
  const auto& holders = holders_[e.lock()];
  if (!holders.empty()) clocks_.learn(e.thread, holders.back().acquire);
}

void Shb::notify(const Event& e) {
  if (const auto it = conditions_.find(e.condition()); it != conditions_.end()) {
    clocks_.learn(e.thread, it->second);
  }
  clocks_.on_event(e);
  conditions_[e.condition()].join(publish(e.thread));
}

void Shb::barrier_enter(const Event& e) {
  Barrier& barrier = barriers_[e.barrier()];
  if (barrier.generation != e.generation()) {
    barrier.generation = e.generation();
    barrier.previous = std::move(barrier.enters);
    barrier.enters = VectorClock();
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

}  // namespace foretell

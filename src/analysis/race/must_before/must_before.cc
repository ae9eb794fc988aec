// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/must_before.h"

#include "trace/event_match.h"

namespace foretell::analysis {

void MustBefore::on_event(const trace::Event& e) {
  happens_before_.on_event(e);
  using enum trace::EventKind;
  match(e.kind,
        trace::Cases{
            trace::on<Read>([&] { embracer_.read(e); }),
            trace::on<Write, Free>([&] { embracer_.write(e); }),
            trace::on<AtomicRead>([&] { embracer_.volatile_read(e); }),
            trace::on<AtomicWrite, AtomicRmw>([&] { embracer_.volatile_write(e); }),
            trace::on<Acquire>([&] { embracer_.acquire(e.thread, e.lock(), LockMode::exclusive); }),
            trace::on<AcquireShared>(
                [&] { embracer_.acquire(e.thread, e.lock(), LockMode::shared); }),
            trace::on<Release>([&] { embracer_.release(e.thread, e.lock(), LockMode::exclusive); }),
            trace::on<ReleaseShared>(
                [&] { embracer_.release(e.thread, e.lock(), LockMode::shared); }),
            trace::on<Fork>([&] { embracer_.fork(e); }),
            trace::on<Join>([&] { embracer_.join(e); }),
            trace::on<WaitBegin>([&] { embracer_.pre_wait(e); }),
            trace::on<WaitEnd>([&] { embracer_.post_wait(e); }),
            trace::on<trace::kNotifies>([&] { embracer_.notify(e); }),
            trace::on<BarrierEnter>([&] { embracer_.barrier_enter(e); }),
            trace::on<BarrierExit>([&] { embracer_.barrier_exit(e); }),
            trace::on<SemaphorePost>([&] { embracer_.semaphore_post(e); }),
            trace::on<SemaphoreWait>([&] { embracer_.semaphore_wait(e); }),
            trace::on<Alloc, Fence, trace::kRequests, trace::kFailedTries, trace::kRemarks>(
                [&] { ++no_rule_; }),
        });
}

void MustBefore::report_counters(CounterSink& counters) const {
  embracer_.report_counters(counters);
  counters.count("no rule", no_rule_);
  counters.count("happens-before race", counted_.races);
}

}  // namespace foretell::analysis

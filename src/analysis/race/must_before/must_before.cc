// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/must_before/must_before.h"

#include "trace/event_match.h"

namespace foretell {

void MustBefore::on_event(const Event& e) {
  happens_before_.on_event(e);
  using enum EventKind;
  match(e.kind,
        Cases{
            on<Read>([&] { embracer_.read(e); }),
            on<Write, Free>([&] { embracer_.write(e); }),
            on<AtomicRead>([&] { embracer_.volatile_read(e); }),
            on<AtomicWrite, AtomicRmw>([&] { embracer_.volatile_write(e); }),
            on<Acquire>([&] { embracer_.acquire(e.thread, e.lock(), LockMode::exclusive); }),
            on<AcquireShared>([&] { embracer_.acquire(e.thread, e.lock(), LockMode::shared); }),
            on<Release>([&] { embracer_.release(e.thread, e.lock(), LockMode::exclusive); }),
            on<ReleaseShared>([&] { embracer_.release(e.thread, e.lock(), LockMode::shared); }),
            on<Fork>([&] { embracer_.fork(e); }),
            on<Join>([&] { embracer_.join(e); }),
            on<WaitBegin>([&] { embracer_.pre_wait(e); }),
            on<WaitEnd>([&] { embracer_.post_wait(e); }),
            on<kNotifies>([&] { embracer_.notify(e); }),
            on<BarrierEnter>([&] { embracer_.barrier_enter(e); }),
            on<BarrierExit>([&] { embracer_.barrier_exit(e); }),
            on<SemaphorePost>([&] { embracer_.semaphore_post(e); }),
            on<SemaphoreWait>([&] { embracer_.semaphore_wait(e); }),
            on<Alloc, Fence, kRequests, kFailedTries, kRemarks>([&] { ++no_rule_; }),
        });
}

void MustBefore::report_counters(CounterSink& counters) const {
  embracer_.report_counters(counters);
  counters.count("no rule", no_rule_);
  counters.count("happens-before race", counted_.races);
}

}  // namespace foretell

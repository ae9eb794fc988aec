#include "analysis/race/must_before/must_before.h"

namespace foretell {

void MustBefore::on_event(const Event& e) {
  happens_before_.on_event(e);
  switch (e.kind) {
    case EventKind::Read:
      return embracer_.read(e);
    case EventKind::Write:
    case EventKind::Free:
      return embracer_.write(e);
    case EventKind::AtomicRead:
      return embracer_.volatile_read(e);
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
      return embracer_.volatile_write(e);
    case EventKind::Acquire:
      return embracer_.acquire(e.thread, e.lock(), LockMode::exclusive);
    case EventKind::AcquireShared:
      return embracer_.acquire(e.thread, e.lock(), LockMode::shared);
    case EventKind::Release:
      return embracer_.release(e.thread, e.lock(), LockMode::exclusive);
    case EventKind::ReleaseShared:
      return embracer_.release(e.thread, e.lock(), LockMode::shared);
    case EventKind::Fork:
      return embracer_.fork(e);
    case EventKind::Join:
      return embracer_.join(e);
    case EventKind::WaitBegin:
      return embracer_.pre_wait(e);
    case EventKind::WaitEnd:
      return embracer_.post_wait(e);
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return embracer_.notify(e);
    case EventKind::BarrierEnter:
      return embracer_.barrier_enter(e);
    case EventKind::BarrierExit:
      return embracer_.barrier_exit(e);
    case EventKind::SemaphorePost:
      return embracer_.semaphore_post(e);
    case EventKind::SemaphoreWait:
      return embracer_.semaphore_wait(e);
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::Fence:
    case EventKind::Request:
    case EventKind::RequestShared:
    case EventKind::TryFail:
    case EventKind::TryFailShared:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::User:
      ++no_rule_;
      return;
  }
}

void MustBefore::report_counters(CounterSink& counters) const {
  embracer_.report_counters(counters);
  counters.count("no rule", no_rule_);
  counters.count("happens-before race", counted_.races);
}

}  // namespace foretell

#include "analysis/race/causally_precedes/section_clashes.h"

namespace foretell {

void SectionClashes::other(const Event& e) {
  switch (e.kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::Free:
      return held_.on_access(e, add_edge_);
    case EventKind::Acquire:
      return open(e, false);
    case EventKind::AcquireShared:
      return open(e, true);
    case EventKind::Release:
    case EventKind::ReleaseShared:
      held_.close(e.thread, e.lock());
      return;
    case EventKind::WaitBegin:
      held_.on_condition(e, add_edge_);
      held_.close(e.thread, e.lock());
      return;
    case EventKind::WaitEnd:
      return open(e, false);
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return held_.on_condition(e, add_edge_);
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::Fence:
    case EventKind::Request:
    case EventKind::RequestShared:
    case EventKind::TryFail:
    case EventKind::TryFailShared:
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
    case EventKind::SemaphorePost:
    case EventKind::SemaphoreWait:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::User:
      return;
  }
}

}  // namespace foretell

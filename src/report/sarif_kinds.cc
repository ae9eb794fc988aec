// SPDX-License-Identifier: Apache-2.0

#include "report/sarif_kinds.h"

namespace foretell::report {

std::vector<std::string_view> sarif_kinds(trace::EventKind kind) {
  switch (kind) {
    case trace::EventKind::Read:
    case trace::EventKind::Write:
    case trace::EventKind::AtomicRead:
    case trace::EventKind::AtomicWrite:
    case trace::EventKind::AtomicRmw:
      return {"memory", "value"};
    case trace::EventKind::Fence:
      return {"memory"};
    case trace::EventKind::Request:
    case trace::EventKind::RequestShared:
      return {"lock"};
    case trace::EventKind::Acquire:
    case trace::EventKind::AcquireShared:
    case trace::EventKind::WaitEnd:
      return {"acquire", "lock"};
    case trace::EventKind::Release:
    case trace::EventKind::ReleaseShared:
    case trace::EventKind::WaitBegin:
      return {"release", "lock"};
    case trace::EventKind::TryFail:
    case trace::EventKind::TryFailShared:
      return {"lock", "false"};
    case trace::EventKind::Fork:
      return {"acquire", "resource"};
    case trace::EventKind::Join:
      return {"release", "resource"};
    case trace::EventKind::NotifyOne:
    case trace::EventKind::NotifyAll:
      return {"resource"};
    case trace::EventKind::SemaphorePost:
      return {"release", "resource"};
    case trace::EventKind::SemaphoreWait:
      return {"acquire", "resource"};
    case trace::EventKind::BarrierEnter:
      return {"enter", "resource"};
    case trace::EventKind::BarrierExit:
      return {"exit", "resource"};
    case trace::EventKind::BlockBegin:
    case trace::EventKind::ThreadBegin:
      return {"enter", "scope"};
    case trace::EventKind::BlockEnd:
    case trace::EventKind::ThreadEnd:
      return {"exit", "scope"};
    case trace::EventKind::FunctionEnter:
      return {"enter", "function"};
    case trace::EventKind::FunctionExit:
      return {"exit", "function"};
    case trace::EventKind::Branch:
      return {"branch"};
    case trace::EventKind::Alloc:
      return {"acquire", "memory"};
    case trace::EventKind::Free:
      return {"release", "memory"};
    case trace::EventKind::DestroyLock:
    case trace::EventKind::DestroyCondition:
    case trace::EventKind::DestroyBarrier:
    case trace::EventKind::DestroySemaphore:
      return {"release", "resource"};
    case trace::EventKind::User:
      return {"value"};
  }
  return {};
}

}  // namespace foretell::report

// SPDX-License-Identifier: Apache-2.0

#include "report/sarif_kinds.h"

namespace foretell {

std::vector<std::string_view> sarif_kinds(EventKind kind) {
  switch (kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
      return {"memory", "value"};
    case EventKind::Fence:
      return {"memory"};
    case EventKind::Request:
    case EventKind::RequestShared:
      return {"lock"};
    case EventKind::Acquire:
    case EventKind::AcquireShared:
    case EventKind::WaitEnd:
      return {"acquire", "lock"};
    case EventKind::Release:
    case EventKind::ReleaseShared:
    case EventKind::WaitBegin:
      return {"release", "lock"};
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      return {"lock", "false"};
    case EventKind::Fork:
      return {"acquire", "resource"};
    case EventKind::Join:
      return {"release", "resource"};
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return {"resource"};
    case EventKind::SemaphorePost:
      return {"release", "resource"};
    case EventKind::SemaphoreWait:
      return {"acquire", "resource"};
    case EventKind::BarrierEnter:
      return {"enter", "resource"};
    case EventKind::BarrierExit:
      return {"exit", "resource"};
    case EventKind::BlockBegin:
    case EventKind::ThreadBegin:
      return {"enter", "scope"};
    case EventKind::BlockEnd:
    case EventKind::ThreadEnd:
      return {"exit", "scope"};
    case EventKind::FunctionEnter:
      return {"enter", "function"};
    case EventKind::FunctionExit:
      return {"exit", "function"};
    case EventKind::Branch:
      return {"branch"};
    case EventKind::Alloc:
      return {"acquire", "memory"};
    case EventKind::Free:
      return {"release", "memory"};
    case EventKind::User:
      return {"value"};
  }
  return {};
}

}  // namespace foretell

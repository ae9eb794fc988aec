// What an event does, in the words of a person: "lock", "write". (word_of is Tiddle's.)
#pragma once

#include <string_view>

#include "trace/event.h"

namespace foretell {

inline std::string_view plain_word_of(EventKind kind) {
  switch (kind) {
    case EventKind::Read:
      return "read";
    case EventKind::Write:
      return "write";
    case EventKind::Acquire:
    case EventKind::Request:
      return "lock";
    case EventKind::AcquireShared:
    case EventKind::RequestShared:
      return "lock shared";
    case EventKind::Release:
      return "unlock";
    case EventKind::ReleaseShared:
      return "unlock shared";
    case EventKind::TryFail:
      return "fail to lock";
    case EventKind::TryFailShared:
      return "fail to lock shared";
    case EventKind::Fork:
      return "create";
    case EventKind::Join:
      return "join";
    case EventKind::BlockBegin:
      return "begin";
    case EventKind::BlockEnd:
      return "end";
    case EventKind::ThreadBegin:
      return "beginning of the thread";
    case EventKind::ThreadEnd:
      return "end of the thread";
    case EventKind::AtomicRead:
      return "atomic read";
    case EventKind::AtomicWrite:
      return "atomic write";
    case EventKind::AtomicRmw:
      return "atomic update";
    case EventKind::Fence:
      return "fence";
    case EventKind::WaitBegin:
      return "wait on";
    case EventKind::WaitEnd:
      return "wake from";
    case EventKind::NotifyOne:
      return "notify";
    case EventKind::NotifyAll:
      return "notify all";
    case EventKind::BarrierEnter:
      return "arrive at";
    case EventKind::BarrierExit:
      return "leave";
    case EventKind::SemaphorePost:
      return "post";
    case EventKind::SemaphoreWait:
      return "take";
    case EventKind::FunctionEnter:
      return "call";
    case EventKind::FunctionExit:
      return "return from";
    case EventKind::Branch:
      return "branch";
    case EventKind::Alloc:
      return "allocate";
    case EventKind::Free:
      return "free";
    case EventKind::User:
      return "user event";
  }
  return "";
}

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

// What a recorded lock operation may be, given what was recorded of the lock before.
//
// A trace has rules (trace/normalizer.h) that a program may break: it unlocks a mutex that another
// thread has locked, or that was locked before recording began. One such program must not make a
// recording unreadable, so operations are followed here first:
//   as recorded  it keeps the rules;
//   shared       a release without saying in which mode: the mode the thread holds;
//   a request    a try that failed although the lock was free (it may: time-outs, other causes);
//   broken       anything else. From then on the lock's operations become atomic
//                read-modify-writes of one location. Those are legal anywhere, order what follows
//                them, and a reordering keeps them in place: less is predicted, nothing wrong.
#pragma once

#include <algorithm>

#include "trace/event.h"
#include "trace/recording/sync_objects.h"

namespace foretell::recording {

enum class LockVerdict : uint8_t { as_recorded, broken };

// Follows the operation `kind` of `thread` and corrects the kind where it may be another one.
inline LockVerdict follow_lock(SyncObject& lock, ThreadId thread, trace::EventKind& kind) {
  using enum LockVerdict;
  auto mine = [&] { return std::ranges::find(lock.readers, thread, &SyncObject::Reader::thread); };
  if (kind == trace::EventKind::Request || kind == trace::EventKind::RequestShared)
    return as_recorded;
  if (lock.is_broken) return broken;
  if (kind == trace::EventKind::Release && !lock.held && mine() != lock.readers.end()) {
    kind = trace::EventKind::ReleaseShared;
  } else if (kind == trace::EventKind::ReleaseShared && lock.held && lock.holder == thread) {
    kind = trace::EventKind::Release;
  }
  switch (kind) {
    case trace::EventKind::Acquire:
      if (lock.held && lock.holder == thread) {
        ++lock.depth;
        return as_recorded;
      }
      if (lock.held || !lock.readers.empty()) return broken;
      lock.held = true;
      lock.holder = thread;
      lock.depth = 1;
      return as_recorded;
    case trace::EventKind::AcquireShared:
      if (lock.held) return broken;
      if (auto reader = mine(); reader != lock.readers.end()) {
        ++reader->depth;
      } else {
        lock.readers.push_back({thread, 1});
      }
      return as_recorded;
    case trace::EventKind::Release:
      if (!lock.held || lock.holder != thread) return broken;
      lock.held = --lock.depth > 0;
      return as_recorded;
    case trace::EventKind::ReleaseShared: {
      auto reader = mine();
      if (reader == lock.readers.end()) return broken;
      if (--reader->depth == 0) lock.readers.erase(reader);
      return as_recorded;
    }
    case trace::EventKind::TryFail:
      if (!lock.held && lock.readers.empty()) kind = trace::EventKind::Request;
      return as_recorded;
    case trace::EventKind::TryFailShared:
      if (!lock.held) kind = trace::EventKind::RequestShared;
      return as_recorded;
    default:
      return as_recorded;
  }
}

}  // namespace foretell::recording

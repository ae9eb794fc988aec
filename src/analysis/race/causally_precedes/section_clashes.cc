#include "analysis/race/causally_precedes/section_clashes.h"

#include <algorithm>

namespace foretell {

void SectionClashes::other(const Event& e) {
  switch (e.kind) {
    case EventKind::Read:
    case EventKind::AtomicRead:
      return access(e, Touch::read);
    case EventKind::Write:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::Free:
      return access(e, Touch::write);
    case EventKind::Acquire:
      return open(e, false);
    case EventKind::AcquireShared:
      return open(e, true);
    case EventKind::Release:
    case EventKind::ReleaseShared:
      return close(e);
    case EventKind::WaitBegin:
      // Waits count as writes of the condition that only notifies, its readers, clash with.
      touch_all(conditions_, e.object, e.thread, Touch::write, {true, false});
      return close(e);
    case EventKind::WaitEnd:
      return open(e, false);
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      return touch_all(conditions_, e.object, e.thread, Touch::read, {false, true});
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

void SectionClashes::touch_all(SectionAccesses<SectionNumber>& accesses, uint32_t object,
                               ThreadId thread, Touch touch, std::pair<bool, bool> against) {
  for (const Held& held : threads_[thread].held) {
    accesses.touch(
        held.lock, object, thread, held.section, held.shared, touch, against,
        [&](SectionNumber from) { edges_.add_exclusive(held.lock, from, held.section); },
        [&](SectionNumber from) { edges_.add_reader(held.lock, from, held.section); });
  }
}

void SectionClashes::open(const Event& e, bool shared) {
  Thread& thread = threads_[e.thread];
  thread.held.push_back({e.lock(), ++sections_[e.lock()], shared});
  ++thread.segment;
}

void SectionClashes::close(const Event& e) {
  Thread& thread = threads_[e.thread];
  std::erase_if(thread.held, [&](const Held& held) { return held.lock == e.lock(); });
  ++thread.segment;
}

}  // namespace foretell

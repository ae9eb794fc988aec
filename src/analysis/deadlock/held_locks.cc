#include "analysis/deadlock/held_locks.h"

#include <algorithm>

namespace foretell {

void HeldLocks::on_event(const Event& e) {
  switch (e.kind) {
    case EventKind::Request:
    case EventKind::RequestShared: {
      has_requests_ = true;
      ThreadState& thread = threads_[e.thread];
      thread.requested = e.lock();
      thread.has_request = true;
      return;
    }
    case EventKind::Acquire:
    case EventKind::WaitEnd:
      return acquire(e, false);
    case EventKind::AcquireShared:
      return acquire(e, true);
    case EventKind::Release:
    case EventKind::ReleaseShared:
    case EventKind::WaitBegin:
      return release(e);
    case EventKind::TryFail:
    case EventKind::TryFailShared:
      threads_[e.thread].has_request = false;  // a timed lock that gave up
      return;
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::Fork:
    case EventKind::Join:
    case EventKind::BlockBegin:
    case EventKind::BlockEnd:
    case EventKind::ThreadBegin:
    case EventKind::ThreadEnd:
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
    case EventKind::Fence:
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
    case EventKind::BarrierEnter:
    case EventKind::BarrierExit:
    case EventKind::SemaphorePost:
    case EventKind::SemaphoreWait:
    case EventKind::FunctionEnter:
    case EventKind::FunctionExit:
    case EventKind::Branch:
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::User:
      return;
  }
}

void HeldLocks::acquire(const Event& e, bool shared) {
  ThreadState& thread = threads_[e.thread];
  if (thread.requested == e.lock()) thread.has_request = false;
  const Held taken{e.lock(), shared};
  thread.held.insert(std::ranges::upper_bound(thread.held, taken), taken);
}

void HeldLocks::release(const Event& e) {
  Set& held = threads_[e.thread].held;
  const auto it = std::ranges::find(held, e.lock(), &Held::lock);
  if (it != held.end()) held.erase(it);
}

HeldLocks::SetId HeldLocks::held_by(ThreadId thread) {
  const Set& held = threads_[thread].held;
  auto [it, is_new] = ids_.try_emplace(held, static_cast<SetId>(sets_.size()));
  if (is_new) sets_.push_back(held);
  return it->second;
}

bool HeldLocks::has_asked(const Event& acquire) {
  const ThreadState& thread = threads_[acquire.thread];
  return thread.has_request && thread.requested == acquire.lock();
}

bool HeldLocks::excludes(SetId set, const Held& wanted) const {
  return std::ranges::any_of(sets_[set], [&](const Held& held) {
    return held.lock == wanted.lock && !(held.shared && wanted.shared);
  });
}

bool HeldLocks::exclude_each_other(SetId a, SetId b) const {
  return std::ranges::any_of(sets_[a], [&](const Held& held) { return excludes(b, held); });
}

}  // namespace foretell

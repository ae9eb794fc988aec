#include "analysis/recorded_order.h"

namespace foretell {

void OrderWatch::on_events(std::span<const Event> batch) {
  if (phase_ == Phase::after || batch.empty() || batch.back().index < first_) return;
  for (const Event& e : batch) on_event(e);
}

void OrderWatch::on_event(const Event& e) {
  switch (phase_) {
    case Phase::before:
      if (e.index != first_) return;
      phase_ = Phase::between;
      first_thread_ = e.thread;
      threads_.insert(e.thread);
      return;
    case Phase::after:
      return;
    case Phase::between:
      break;
  }
  if (e.index == second_) {
    phase_ = Phase::after;
    ordered_ = threads_.contains(e.thread);
    if (auto taken = taken_.find(e.thread); taken != taken_.end()) lock_ = taken->second;
    return;
  }
  if (++seen_ > kLongest) {
    too_far_ = true;
    phase_ = Phase::after;
    return;
  }
  if (!threads_.contains(e.thread) && reached(e)) threads_.insert(e.thread);
  const bool begins = e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared ||
                      e.kind == EventKind::WaitEnd;
  if (begins && e.thread != first_thread_ && given_up_.contains(e.lock())) {
    taken_.try_emplace(e.thread, e.lock());
  }
  if (threads_.contains(e.thread)) release(e);
}

// Whether `e` takes over an order from something released before.
bool OrderWatch::reached(const Event& e) const {
  if (fence_) return true;
  switch (e.kind) {
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      return objects_.contains(key(ObjectKind::lock, e.object));
    case EventKind::WaitEnd:
      return objects_.contains(key(ObjectKind::lock, static_cast<uint32_t>(e.lock()))) ||
             objects_.contains(key(ObjectKind::condition, e.object));
    case EventKind::BarrierExit:
      return objects_.contains(key(ObjectKind::barrier, e.object));
    case EventKind::SemaphoreWait:
      return objects_.contains(key(ObjectKind::semaphore, e.object));
    case EventKind::AtomicRead:
    case EventKind::AtomicRmw:
      return objects_.contains(key(ObjectKind::location, e.object));
    case EventKind::Join:
      return threads_.contains(e.other_thread());
    default:
      return false;
  }
}

void OrderWatch::release(const Event& e) {
  switch (e.kind) {
    case EventKind::Release:
    case EventKind::ReleaseShared:
      objects_.insert(key(ObjectKind::lock, e.object));
      if (e.thread == first_thread_) given_up_.insert(e.lock());
      break;
    case EventKind::WaitBegin:
      objects_.insert(key(ObjectKind::lock, static_cast<uint32_t>(e.lock())));
      if (e.thread == first_thread_) given_up_.insert(e.lock());
      break;
    case EventKind::NotifyOne:
    case EventKind::NotifyAll:
      objects_.insert(key(ObjectKind::condition, e.object));
      break;
    case EventKind::BarrierEnter:
      objects_.insert(key(ObjectKind::barrier, e.object));
      break;
    case EventKind::SemaphorePost:
      objects_.insert(key(ObjectKind::semaphore, e.object));
      break;
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw:
      objects_.insert(key(ObjectKind::location, e.object));
      break;
    case EventKind::Fork:
      threads_.insert(e.other_thread());
      break;
    case EventKind::Fence:
      fence_ = true;
      break;
    default:
      break;
  }
}

RecordedOrder OrderWatch::result(const TraceTables& tables) const {
  RecordedOrder order;
  if (phase_ != Phase::after || too_far_) return order;
  order.steps_between = to_index(second_) - to_index(first_) - 1;
  if (lock_) {
    order.kind = RecordedOrder::Kind::lock;
    order.lock = tables.locks[*lock_];
  } else if (!ordered_) {
    order.kind = RecordedOrder::Kind::unordered;
  }
  return order;
}

}  // namespace foretell

// SPDX-License-Identifier: Apache-2.0

#include "pipeline/recorded_order.h"

#include <algorithm>

namespace foretell::pipeline {

void OrderWatch::on_events(std::span<const trace::Event> batch) {
  if (phase_ == Phase::after || batch.empty() || batch.back().index < first_) return;
  for (const trace::Event& e : batch) on_event(e);
}

void OrderWatch::on_event(const trace::Event& e) {
  switch (phase_) {
    case Phase::before:
      if (e.index != first_) return;
      phase_ = Phase::between;
      threads_[e.thread] = kFirstThread;
      release(e, kFirstThread);
      return;
    case Phase::after:
      return;
    case Phase::between:
      break;
  }
  auto reached = threads_.find(e.thread);
  if (e.index == second_) {
    phase_ = Phase::after;
    const Released* fork = find(ObjectKind::fork, to_index(e.thread));
    if (reached == threads_.end() && fork != nullptr) reached = reach(e, *fork);
    is_reached_ = reached != threads_.end();
    if (is_reached_) last_ = reached->second;
    return;
  }
  if (++seen_ > kLongest) {
    too_far_ = true;
    phase_ = Phase::after;
    return;
  }
  if (reached == threads_.end()) {
    const Released* source = taken_over(e);
    if (source == nullptr) {
      // From here on the location returns another write.
      const bool overwrites =
          e.kind == trace::EventKind::Write || e.kind == trace::EventKind::AtomicWrite;
      if (overwrites) objects_.erase(key(ObjectKind::location, e.object));
      return;
    }
    reached = reach(e, *source);
  }
  release(e, reached->second);
}

OrderWatch::Threads::iterator OrderWatch::reach(const trace::Event& e, const Released& from) {
  nodes_.push_back({{from.by, e.index, from.lock}, from.parent, from.is_strong});
  return threads_.emplace(e.thread, static_cast<uint32_t>(nodes_.size() - 1)).first;
}

const OrderWatch::Released* OrderWatch::find(ObjectKind kind, uint64_t id) const {
  auto it = objects_.find(key(kind, id));
  return it == objects_.end() ? nullptr : &it->second;
}

// What `e`, of a thread not reached so far, takes an order over from.
const OrderWatch::Released* OrderWatch::taken_over(const trace::Event& e) const {
  if (auto fork = find(ObjectKind::fork, to_index(e.thread))) return fork;
  switch (e.kind) {
    case trace::EventKind::WaitEnd:
      if (auto notify = find(ObjectKind::notify, e.value)) return notify;
      [[fallthrough]];
    case trace::EventKind::Acquire:
      if (auto readers = find(ObjectKind::shared, to_index(e.lock()))) return readers;
      [[fallthrough]];
    case trace::EventKind::AcquireShared:
      return find(ObjectKind::lock, to_index(e.lock()));
    case trace::EventKind::BarrierExit:
      return find(ObjectKind::barrier, e.object);
    case trace::EventKind::SemaphoreWait:
      return find(ObjectKind::post, e.value);
    case trace::EventKind::Read:
      // Every schedule keeps what a read returns; it synchronizes nothing.
      return with_locks_ ? nullptr : find(ObjectKind::location, e.object);
    case trace::EventKind::AtomicRead:
    case trace::EventKind::AtomicRmw:
      if (auto write = find(ObjectKind::location, e.object)) return write;
      break;
    case trace::EventKind::Join:
      if (auto end = find(ObjectKind::thread, e.object)) return end;
      break;
    default:
      break;
  }
  return fences_.empty() ? nullptr : &fences_.front();
}

void OrderWatch::release(const trace::Event& e, uint32_t node) {
  auto put = [&](ObjectKind kind, uint64_t id, bool is_strong = true) {
    objects_.try_emplace(key(kind, id), Released{e.index, node, is_strong});
  };
  auto give_up = [&](ObjectKind kind) {
    if (!with_locks_) return;
    objects_.try_emplace(key(kind, to_index(e.lock())), Released{e.index, node, true, e.lock()});
  };
  // A thread is joined after whatever it did last.
  objects_.insert_or_assign(key(ObjectKind::thread, to_index(e.thread)), Released{e.index, node});
  switch (e.kind) {
    case trace::EventKind::ReleaseShared:
      give_up(ObjectKind::shared);
      break;
    case trace::EventKind::Release:
    case trace::EventKind::WaitBegin:
      give_up(ObjectKind::lock);
      break;
    case trace::EventKind::NotifyOne:
    case trace::EventKind::NotifyAll:
      put(ObjectKind::notify, to_index(e.index));
      break;
    case trace::EventKind::BarrierEnter:
      put(ObjectKind::barrier, e.object);
      break;
    case trace::EventKind::SemaphorePost:
      put(ObjectKind::post, to_index(e.index));
      break;
    case trace::EventKind::Write:
      if (with_locks_) break;
      objects_.insert_or_assign(key(ObjectKind::location, e.object), Released{e.index, node});
      break;
    case trace::EventKind::AtomicWrite:
    case trace::EventKind::AtomicRmw:
      objects_.insert_or_assign(
          key(ObjectKind::location, e.object),
          Released{e.index, node, !with_locks_ || trace::is_release(e.order)});
      break;
    case trace::EventKind::Fork:
      put(ObjectKind::fork, e.object);
      break;
    case trace::EventKind::Fence:
      if (fences_.empty()) fences_.push_back({e.index, node, false});
      break;
    default:
      break;
  }
}

finding::RecordedOrder::Kind OrderWatch::kind() const {
  using enum finding::RecordedOrder::Kind;
  if (phase_ != Phase::after || too_far_) return unknown;
  if (!is_reached_) return unordered;
  for (uint32_t at = last_; at != kFirstThread; at = nodes_[at].parent) {
    if (!nodes_[at].is_strong) return unknown;
  }
  return ordered;
}

std::vector<OrderWatch::Edge> OrderWatch::path() const {
  std::vector<Edge> edges;
  if (kind() != finding::RecordedOrder::Kind::ordered) return edges;
  for (uint32_t at = last_; at != kFirstThread; at = nodes_[at].parent) {
    edges.push_back(nodes_[at].edge);
  }
  std::ranges::reverse(edges);
  return edges;
}

}  // namespace foretell::pipeline

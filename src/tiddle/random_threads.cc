// SPDX-License-Identifier: Apache-2.0

#include "tiddle/random_threads.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace foretell::tiddle {

RandomThreads::RandomThreads(const RandomOptions& options)
    : options_(options),
      dice_(options.seed),
      threads_(options.threads),
      holder_(options.locks, kNobody),
      readers_(options.locks, 0),
      values_(options.variables, 0) {
  for (uint32_t t = 0; t < options.threads; ++t) {
    tables().threads.intern(fmt::format("{}", t + 1));
    if (options.fork_join && t > 0) threads_[t].phase = Phase::unborn;
  }
  for (uint32_t v = 0; v < options.variables; ++v) tables().intern_variable(fmt::format("x{}", v));
  heap_ = tables().intern_variable("heap");
  for (uint32_t l = 0; l < options.locks; ++l) tables().locks.intern(fmt::format("m{}", l));
  tables().conditions.intern("c");
  tables().barriers.intern("b");
  tables().semaphores.intern("s");
  tables().labels.intern("a");
  tables().functions.intern("f");
  tables().user_events.intern("u");
}

trace::Event& RandomThreads::emit(trace::EventKind kind, uint32_t thread, uint32_t object) {
  threads_[thread].acted = true;
  trace_.events.push_back({.kind = kind,
                           .thread = ThreadId{thread},
                           .object = object,
                           .index = EventIndex{trace_.events.size()}});
  return trace_.events.back();
}

size_t RandomThreads::obligations() const {
  size_t open = heap_live_ ? 1 : 0;
  for (const Thread& t : threads_) {
    open += t.locks.size() + t.shared.size() + t.blocks + t.calls;
    if (t.phase == Phase::waiting) open += 2;
    if (t.phase == Phase::at_barrier) open += 2;
    const bool alive = t.phase != Phase::unborn && t.phase != Phase::joined;
    if (options_.fork_join && &t != &threads_[0] && alive) ++open;
  }
  return open;
}

bool RandomThreads::attempt(trace::EventKind kind, uint32_t t, bool closing) {
  Thread& thread = threads_[t];
  if (kind == trace::EventKind::WaitEnd) return wake(t, closing);
  if (kind == trace::EventKind::BarrierExit) return leave_barrier(t);
  if (thread.phase != Phase::running) return false;
  switch (kind) {
    case trace::EventKind::Read:
    case trace::EventKind::Write:
    case trace::EventKind::AtomicRead:
    case trace::EventKind::AtomicWrite:
    case trace::EventKind::AtomicRmw:
      return access(kind, t);
    case trace::EventKind::Acquire:
    case trace::EventKind::AcquireShared:
      return acquire(kind, t);
    case trace::EventKind::Release:
    case trace::EventKind::ReleaseShared:
      return release(kind, t);
    case trace::EventKind::Request:
    case trace::EventKind::RequestShared:
      if (options_.locks == 0) return false;
      emit(kind, t, dice_.below(options_.locks));
      return true;
    case trace::EventKind::TryFail:
    case trace::EventKind::TryFailShared:
      return try_fail(kind, t);
    case trace::EventKind::Fork:
      return fork(t);
    case trace::EventKind::Join:
      return join(t);
    case trace::EventKind::BlockBegin:
      return open(thread.blocks, kind, t);
    case trace::EventKind::FunctionEnter:
      return open(thread.calls, kind, t);
    case trace::EventKind::BlockEnd:
      return close(thread.blocks, kind, t);
    case trace::EventKind::FunctionExit:
      return close(thread.calls, kind, t);
    case trace::EventKind::ThreadBegin:
      if (thread.acted) return false;
      emit(kind, t);
      return true;
    case trace::EventKind::ThreadEnd:
      return exit(t);
    case trace::EventKind::Fence:
      emit(kind, t).order = any_order(
          {MemoryOrder::acquire, MemoryOrder::release, MemoryOrder::acq_rel, MemoryOrder::seq_cst});
      return true;
    case trace::EventKind::WaitBegin:
      return wait(t);
    case trace::EventKind::NotifyOne:
    case trace::EventKind::NotifyAll:
      return notify(kind, t);
    case trace::EventKind::BarrierEnter:
      return enter_barrier(t);
    case trace::EventKind::DestroyLock:
    case trace::EventKind::DestroyCondition:
    case trace::EventKind::DestroyBarrier:
    case trace::EventKind::DestroySemaphore:
    case trace::EventKind::SemaphorePost:
    case trace::EventKind::SemaphoreWait:
    case trace::EventKind::User:
      emit(kind, t);
      return true;
    case trace::EventKind::Branch: {
      const uint32_t way = dice_.below(2);
      trace::Event& e = emit(kind, t);
      e.value = way;
      e.flags |= trace::Event::kHasValue;
      return true;
    }
    case trace::EventKind::Alloc:
    case trace::EventKind::Free:
      return allocate_or_free(kind, t);
    case trace::EventKind::WaitEnd:
    case trace::EventKind::BarrierExit:
      break;
  }
  CHECK(false);
}

MemoryOrder RandomThreads::any_order(std::initializer_list<MemoryOrder> orders) {
  return orders.begin()[dice_.below(orders.size())];
}

bool RandomThreads::access(trace::EventKind kind, uint32_t t) {
  if (options_.variables == 0) return false;
  const uint32_t x = dice_.below(options_.variables);
  const uint64_t fresh = options_.values ? dice_.below(100) + 1 : 0;
  MemoryOrder order = MemoryOrder::seq_cst;
  if (kind == trace::EventKind::AtomicRead) {
    order = any_order({MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::seq_cst});
  } else if (kind == trace::EventKind::AtomicWrite) {
    order = any_order({MemoryOrder::relaxed, MemoryOrder::release, MemoryOrder::seq_cst});
  } else if (kind == trace::EventKind::AtomicRmw) {
    order = any_order(
        {MemoryOrder::acquire, MemoryOrder::release, MemoryOrder::acq_rel, MemoryOrder::seq_cst});
  }
  trace::Event& e = emit(kind, t, x);
  e.order = order;
  if (!options_.values) return true;
  e.flags |= trace::Event::kHasValue;
  if (kind == trace::EventKind::AtomicRmw) {
    e.flags |= trace::Event::kHasReadValue;
    e.extra = values_[x];
  }
  if (is_write(kind)) values_[x] = fresh;
  e.value = values_[x];
  return true;
}

bool RandomThreads::acquire(trace::EventKind kind, uint32_t t) {
  Thread& thread = threads_[t];
  if (options_.locks == 0) return false;
  if (thread.locks.size() + thread.shared.size() >= options_.nesting) return false;
  const uint32_t l = dice_.below(options_.locks);
  const bool exclusive = kind == trace::EventKind::Acquire;
  if (holder_[l] != kNobody || (exclusive && readers_[l] > 0)) return false;
  if (std::ranges::find(thread.shared, l) != thread.shared.end()) return false;
  emit(kind, t, l);
  if (exclusive) {
    holder_[l] = t;
    thread.locks.push_back(l);
  } else {
    ++readers_[l];
    thread.shared.push_back(l);
  }
  return true;
}

bool RandomThreads::release(trace::EventKind kind, uint32_t t) {
  const bool exclusive = kind == trace::EventKind::Release;
  std::vector<uint32_t>& held = exclusive ? threads_[t].locks : threads_[t].shared;
  if (held.empty()) return false;
  emit(kind, t, held.back());
  if (exclusive) {
    holder_[held.back()] = kNobody;
  } else {
    --readers_[held.back()];
  }
  held.pop_back();
  return true;
}

bool RandomThreads::open(uint32_t& depth, trace::EventKind kind, uint32_t t) {
  if (depth >= options_.nesting) return false;
  ++depth;
  emit(kind, t);
  return true;
}

bool RandomThreads::close(uint32_t& depth, trace::EventKind kind, uint32_t t) {
  if (depth == 0) return false;
  --depth;
  emit(kind, t);
  return true;
}

bool RandomThreads::try_fail(trace::EventKind kind, uint32_t t) {
  if (options_.locks == 0) return false;
  const uint32_t l = dice_.below(options_.locks);
  const bool held_by_other = holder_[l] != kNobody && holder_[l] != t;
  const bool read = kind == trace::EventKind::TryFail && readers_[l] > 0;
  if (!held_by_other && !read) return false;
  emit(kind, t, l);
  return true;
}

bool RandomThreads::fork(uint32_t t) {
  for (uint32_t child = 0; child < threads_.size(); ++child) {
    if (threads_[child].phase != Phase::unborn) continue;
    threads_[child].phase = Phase::running;
    emit(trace::EventKind::Fork, t, child);
    return true;
  }
  return false;
}

bool RandomThreads::idle(const Thread& thread) const {
  return thread.locks.empty() && thread.shared.empty() && thread.blocks == 0 && thread.calls == 0;
}

bool RandomThreads::join(uint32_t t) {
  for (uint32_t child = 1; child < threads_.size(); ++child) {
    Thread& thread = threads_[child];
    const bool can_end = thread.phase == Phase::ended ||
                         (thread.phase == Phase::running && thread.acted && idle(thread));
    const bool never_acted = options_.fork_join && thread.phase == Phase::running && !thread.acted;
    if (child == t || (!can_end && !never_acted)) continue;
    thread.phase = Phase::joined;
    emit(trace::EventKind::Join, t, child);
    return true;
  }
  return false;
}

bool RandomThreads::exit(uint32_t t) {
  const auto running = std::ranges::count(threads_, Phase::running, &Thread::phase);
  if (!idle(threads_[t]) || running < 2 || t == 0) return false;
  emit(trace::EventKind::ThreadEnd, t);
  threads_[t].phase = Phase::ended;
  return true;
}

bool RandomThreads::may_block() const {
  return std::ranges::count(threads_, Phase::running, &Thread::phase) > 1;
}

bool RandomThreads::wait(uint32_t t) {
  Thread& thread = threads_[t];
  if (thread.locks.empty() || !may_block()) return false;
  thread.wait_lock = thread.locks.back();
  thread.locks.pop_back();
  holder_[thread.wait_lock] = kNobody;
  thread.phase = Phase::waiting;
  thread.notified = false;
  emit(trace::EventKind::WaitBegin, t).extra = thread.wait_lock;
  return true;
}

bool RandomThreads::wake(uint32_t t, bool closing) {
  Thread& thread = threads_[t];
  if (thread.phase != Phase::waiting || (!thread.notified && !closing)) return false;
  if (holder_[thread.wait_lock] != kNobody || readers_[thread.wait_lock] > 0) return false;
  thread.phase = Phase::running;
  thread.locks.push_back(thread.wait_lock);
  holder_[thread.wait_lock] = t;
  emit(trace::EventKind::WaitEnd, t).extra = thread.wait_lock;
  return true;
}

bool RandomThreads::notify(trace::EventKind kind, uint32_t t) {
  for (Thread& other : threads_) {
    if (other.phase != Phase::waiting || other.notified) continue;
    other.notified = true;
    if (kind == trace::EventKind::NotifyOne) break;
  }
  emit(kind, t);
  return true;
}

bool RandomThreads::enter_barrier(uint32_t t) {
  if (opened_ || !(entered_.size() + 1 >= kParties || may_block())) return false;
  if (threads_.size() < kParties) return false;
  entered_.push_back(t);
  threads_[t].phase = Phase::at_barrier;
  opened_ = entered_.size() == kParties;
  emit(trace::EventKind::BarrierEnter, t);
  return true;
}

bool RandomThreads::leave_barrier(uint32_t t) {
  if (!opened_ || threads_[t].phase != Phase::at_barrier) return false;
  threads_[t].phase = Phase::running;
  std::erase(entered_, t);
  if (entered_.empty()) opened_ = false;
  emit(trace::EventKind::BarrierExit, t);
  return true;
}

bool RandomThreads::allocate_or_free(trace::EventKind kind, uint32_t t) {
  if (heap_live_ == (kind == trace::EventKind::Alloc)) return false;
  heap_live_ = !heap_live_;
  trace::Event& e = emit(kind, t, static_cast<uint32_t>(heap_));
  if (kind == trace::EventKind::Alloc) {
    e.value = kHeapBytes;
    e.flags |= trace::Event::kHasValue;
  }
  return true;
}

}  // namespace foretell::tiddle
